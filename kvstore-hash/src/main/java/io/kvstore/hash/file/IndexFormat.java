package io.kvstore.hash.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;

/**
 * The bytes of an index file: a unit with the head, a unit with the mark, then blocks without gaps. {@code docs} has a drawing,
 * in {@code file-formats.md}.
 *
 * <p>A commit ends with its unit, so that later writes touch no unit of the disk that holds what is durable. Only the mark is
 * written again in its place, so it has a unit to itself.
 */
final class IndexFormat {

    static final FileHeader HEADER = new FileHeader("KVHASHI1", "index file", 1);

    /** At least the unit that a disk loses or keeps as a whole. */
    static final int UNIT_BYTES = 4 << 10;

    static final long MARK_OFFSET = UNIT_BYTES;
    static final long FIRST_BLOCK = 2L * UNIT_BYTES;
    static final int BLOCK_UNIT_BYTES = 8;
    static final int BLOCK_HEAD_BYTES = 12;

    static final int PAGE = 1;
    static final int CHANGES = 2;
    static final int COMMIT = 3;

    static final int PAGE_HEAD_BYTES = 8;
    static final int ENTRY_BYTES = 12;
    static final int CHANGES_HEAD_BYTES = 4;
    static final int CHANGE_BYTES = 20;

    /** The most that a block of entries or changes has behind its head. */
    private static final int MOST_BYTES = 64 << 10;

    /** The list of as many value segments as the words of an index can tell apart takes a third of this. */
    private static final int MOST_COMMIT_BYTES = 16 << 20;

    static final int MOST_ENTRIES = (MOST_BYTES - PAGE_HEAD_BYTES) / ENTRY_BYTES;
    static final int MOST_CHANGES = (MOST_BYTES - CHANGES_HEAD_BYTES) / CHANGE_BYTES;

    private IndexFormat() {}

    static byte[] head(int fileTag, long number, long seed) {
        ByteWriter out = new ByteWriter(UNIT_BYTES);
        HEADER.write(out, 0);
        out.u32(fileTag).u64(number).u64(seed).checksumFrom(FileHeader.BYTES);
        out.raw(new byte[UNIT_BYTES - out.size()]);
        return out.toArray();
    }

    /** Checks the first unit of a file. Returns the seed of the table's hashes. */
    static long readHead(String path, byte[] unit, int fileTag, long number) {
        ByteReader in = new ByteReader(path, unit);
        int flags = HEADER.read(in, path).flags();
        int foundTag = in.u32();
        long foundNumber = in.u64();
        long seed = in.u64();
        in.checksumFrom(FileHeader.BYTES);
        if (flags != 0 || foundTag != fileTag || foundNumber != number) {
            throw new CorruptionException(
                    path,
                    0,
                    "belongs to table " + foundTag + " as file " + foundNumber + ", not to table " + fileTag
                            + " as file " + number);
        }
        for (byte rest : in.raw(in.remaining())) {
            if (rest != 0) {
                throw new CorruptionException(path, 0, "something lies behind the head");
            }
        }
        return seed;
    }

    /** Whether a block of this kind can have so many bytes behind its head. */
    static boolean isPossible(int kind, int length) {
        int most = switch (kind) {
            case PAGE, CHANGES -> MOST_BYTES;
            case COMMIT -> MOST_COMMIT_BYTES;
            default -> -1;
        };
        return length >= 0 && length <= most;
    }

    /** Where the block ends that begins at an offset. */
    static long end(long offset, int kind, int length) {
        int unit = kind == COMMIT ? UNIT_BYTES : BLOCK_UNIT_BYTES;
        return (offset + BLOCK_HEAD_BYTES + length + unit - 1) / unit * unit;
    }
}
