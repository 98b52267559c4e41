package io.kvstore.sealed;

import io.kvstore.bytes.Checksum;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileReader;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The bytes of a file that are changed, and whose checksums are made right again, as a wrong builder would make them. */
final class Forgery {

    private static final String PATH = SmallFiles.PATH;

    final SimStorage disk;
    final FileIdentity identity;
    final FileParts parts;
    final byte[] bytes;

    /** Begins with the file that is on a disk. */
    Forgery(SimStorage disk) throws IOException {
        this.disk = disk;
        this.bytes = disk.bytes(PATH);
        this.identity = SealedFormat.readHeader(PATH, Arrays.copyOf(bytes, SealedFormat.HEADER_BYTES));
        byte[] footer = Arrays.copyOfRange(bytes, bytes.length - SealedFormat.FOOTER_BYTES, bytes.length);
        this.parts = FileParts.read(PATH, bytes.length, footer, identity);
    }

    ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Makes the checksums of digests, properties and footer right again, and puts the file on the disk. */
    void sign() throws IOException {
        int digests = (int) parts.digests();
        for (int part = 0; part < SealedFormat.digests(digests); part++) {
            int start = part * SealedFormat.PART_BYTES;
            int length = Math.min(SealedFormat.PART_BYTES, digests - start);
            buffer().putInt(digests + part * SealedFormat.DIGEST_BYTES, Checksum.of(bytes, start, length));
        }
        int properties = (int) parts.properties();
        FileParts signed = new FileParts(
                parts.dataEnd(),
                parts.locator(),
                parts.fences(),
                parts.digests(),
                parts.properties(),
                parts.fileBytes(),
                Checksum.of(bytes, digests, properties - digests),
                Checksum.of(bytes, properties, (int) parts.propertiesBytes()));
        byte[] footer = signed.footer(identity);
        System.arraycopy(footer, 0, bytes, bytes.length - footer.length, footer.length);
        disk.replace(PATH, bytes);
    }

    /** What verification says of the file on the disk. */
    Findings findings() throws IOException {
        Findings findings = new Findings();
        try (TableFileReader file = SmallFiles.open(disk)) {
            file.verify(findings, Progress.NONE);
        }
        return findings;
    }
}
