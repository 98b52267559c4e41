package io.kvstore.sealed.format;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import java.nio.charset.StandardCharsets;

/** The numbers of a sealed file. {@code docs/sealed-file-format.md} has the drawing. */
public final class SealedFormat {

    public static final String MAGIC = "KVSEALD1";

    static final FileHeader HEADER = new FileHeader(MAGIC, "sealed table file", 1);

    /** The first record begins here. */
    public static final int HEADER_BYTES = 4 << 10;

    public static final int FOOTER_BYTES = 64;

    /** The locator begins at a multiple of this, and ends at one. */
    public static final int UNIT_BYTES = 64;

    /** Bytes that one digest is about. */
    public static final int PART_BYTES = 1 << 20;

    public static final int DIGEST_BYTES = Integer.BYTES;

    /** Properties are not longer. Keys and texts take the most of them. */
    public static final int MOST_PROPERTIES_BYTES = 512 << 10;

    static final byte[] END = "SEAL".getBytes(StandardCharsets.US_ASCII);

    private SealedFormat() {}

    /** What wrote a file, for people only. */
    public static String writer() {
        String version = SealedFormat.class.getPackage().getImplementationVersion();
        return version == null ? "KVStore" : "KVStore " + version;
    }

    /** The next multiple of a power of two. */
    public static long roundUp(long offset, int unit) {
        return (offset + unit - 1) & -(long) unit;
    }

    /** How many digests a file has whose digests begin at an offset. */
    public static long digests(long digestsOffset) {
        return (digestsOffset + PART_BYTES - 1) / PART_BYTES;
    }

    /** The header of a file, with zeros behind its fields and a checksum at its end. */
    public static byte[] header(FileIdentity identity) {
        ByteWriter out = new ByteWriter(HEADER_BYTES);
        HEADER.write(out, 0);
        identity.write(out);
        out.raw(new byte[HEADER_BYTES - Integer.BYTES - out.size()]).checksumFrom(0);
        return out.toArray();
    }

    /**
     * Reads and checks a header.
     *
     * @throws CorruptionException if it is damaged, or of a file of another kind
     */
    public static FileIdentity readHeader(String path, byte[] header) {
        ByteReader in = new ByteReader(path, header);
        int flags = HEADER.read(in, path).flags();
        FileIdentity identity = FileIdentity.read(in);
        byte[] rest = in.raw(HEADER_BYTES - Integer.BYTES - in.position());
        in.checksumFrom(0);
        if (flags != 0 || !isZero(rest)) {
            throw new CorruptionException(
                    path, FileHeader.BYTES, "the header has fields that this release does not know");
        }
        return identity;
    }

    private static boolean isZero(byte[] bytes) {
        for (byte b : bytes) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }
}
