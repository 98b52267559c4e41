package io.kvstore.sealed.read;

import io.kvstore.engine.HeldFile;
import io.kvstore.error.CorruptionException;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.SealedFormat;
import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32C;

/** Checks the bytes of a file while they pass by: the digests of its parts, and the checksums of what lies behind these. */
final class PassingCheck implements HeldFile.Check {

    private final String path;
    private final FileParts parts;
    private final IntUnaryOperator digests;
    private final int footerChecksum;
    private final CRC32C crc = new CRC32C();
    private long start;
    private long at;

    PassingCheck(String path, FileParts parts, IntUnaryOperator digests, int footerChecksum) {
        this.path = path;
        this.parts = parts;
        this.digests = digests;
        this.footerChecksum = footerChecksum;
    }

    @Override
    public void add(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            long end = endOf(start);
            int count = (int) Math.min(bytes.remaining(), end - at);
            crc.update(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            at += count;
            if (at == end) {
                check();
            }
        }
    }

    /** Where the bytes end that have one checksum. */
    private long endOf(long from) {
        if (from < parts.digests()) {
            return Math.min(from + SealedFormat.PART_BYTES, parts.digests());
        }
        long footer = parts.fileBytes() - SealedFormat.FOOTER_BYTES;
        return from < parts.properties() ? parts.properties() : from < footer ? footer : parts.fileBytes();
    }

    private int checksumOf(long from) {
        if (from < parts.digests()) {
            return digests.applyAsInt((int) (from / SealedFormat.PART_BYTES));
        }
        long footer = parts.fileBytes() - SealedFormat.FOOTER_BYTES;
        return from < parts.properties()
                ? parts.digestsChecksum()
                : from < footer ? parts.propertiesChecksum() : footerChecksum;
    }

    private void check() {
        if ((int) crc.getValue() != checksumOf(start)) {
            throw new CorruptionException(path, start, "the checksum of " + (at - start) + " bytes is wrong");
        }
        crc.reset();
        start = at;
    }

    @Override
    public void end() {
        if (at != parts.fileBytes()) {
            throw new CorruptionException(path, at, "the file was cut");
        }
    }
}
