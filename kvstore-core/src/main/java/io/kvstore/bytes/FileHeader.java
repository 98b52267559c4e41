package io.kvstore.bytes;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import java.nio.charset.StandardCharsets;

/**
 * The first 16 bytes of a file of one format. {@code docs/file-formats.md} has a drawing. The format says what the flags mean.
 *
 * @param magic 8 ASCII characters, unique to the format
 * @param name the name of the format in messages
 * @param version the version that is written, and the newest version that is read
 */
public record FileHeader(String magic, String name, int version) {

    public static final int BYTES = 16;

    private static final int MAGIC_BYTES = 8;

    public FileHeader {
        if (magic.getBytes(StandardCharsets.US_ASCII).length != MAGIC_BYTES || version < 1 || version > 0xFFFF) {
            throw new IllegalArgumentException("a magic has 8 characters, a version is 1 to 65535");
        }
    }

    /** The version and the flags that {@link #read} found. */
    public record Found(int version, int flags) {}

    public void write(ByteWriter out, int flags) {
        int start = out.size();
        out.raw(magic.getBytes(StandardCharsets.US_ASCII))
                .u16(version)
                .u16(flags)
                .checksumFrom(start);
    }

    /** Reads and checks the header. A version that is not known here is no damage, but a {@link StorageException}. */
    public Found read(ByteReader in, String file) {
        int start = in.position();
        String found = new String(in.raw(MAGIC_BYTES), StandardCharsets.ISO_8859_1);
        if (!found.equals(magic)) {
            throw new CorruptionException(file, 0, "this is not a " + name + " (its first 8 bytes are wrong)");
        }
        int foundVersion = in.u16();
        int flags = in.u16();
        in.checksumFrom(start);
        if (foundVersion < 1 || foundVersion > version) {
            throw new StorageException(
                    file + " is a " + name + " of version " + foundVersion + ", and this release reads versions 1 to "
                            + version + "; open the store with the release that wrote it or a newer one",
                    null);
        }
        return new Found(foundVersion, flags);
    }
}
