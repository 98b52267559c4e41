package io.kvstore.lsm.options;

import io.kvstore.engine.BlockCodec;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of one table, and the sizes that follow from them.
 *
 * @param memTableBytes a memtable of this size is full
 * @param maxEntriesPerBlock the most entries of a block
 * @param falsePositiveRate of the filters
 * @param maxLevel0Files writes wait while level 0 has this number of files
 * @param valueThresholdBytes values of this size and more are kept in value segments
 * @param codec compresses blocks, or null
 * @param slackBytes files may take this number of bytes in addition to twice the live bytes
 */
public record LsmOptions(
        long memTableBytes,
        int maxEntriesPerBlock,
        double falsePositiveRate,
        int maxLevel0Files,
        int valueThresholdBytes,
        @Nullable BlockCodec codec,
        long slackBytes) {

    public static final int LEVELS = 7;

    /** A block ends when it holds this number of bytes. */
    public static final int BLOCK_BYTES = 4 << 10;

    /** Tombstones are due when they are more than this part of the entries that they may remove. */
    public static final int REMOVED_PART = 4;

    /** The most full memtables that wait to be flushed. */
    public static final int MAX_IMMUTABLES = 3;

    /** To write entries in the order of their keys is worth its cost when scans waited for this part of them. */
    public static final int SCATTERED_PART = 4;

    /** About the number of runs of a memtable. */
    private static final int MOST_RUNS = 8;

    /** A memtable has at most this number of times its bytes in value segments: a bound of a flush and of a replay. */
    private static final int APART_RATIO = 6;

    private static final long LEAST_SLACK_BYTES = 128L << 20;
    private static final int SLACK_MEMTABLES = 4;
    private static final int MOST_LEVEL_0_TRIGGER = 8;
    private static final int LEVEL_RATIO = 8;
    private static final int LEVEL_0_TRIGGER = 4;
    private static final long MAX_CHUNK_BYTES = 1 << 20;
    private static final long MIN_CHUNK_BYTES = 8 << 10;
    private static final long MAX_FILE_BYTES = 32 << 20;
    private static final long MAX_SEGMENT_BYTES = 64 << 20;
    private static final long MIN_GROWING_SEGMENT_BYTES = 1 << 20;
    private static final long MIN_FILE_BYTES = 32 << 10;

    /** The default of the bytes that files may take in addition to twice the live bytes. */
    public static long usualSlackBytes(long memTableBytes) {
        return Math.max(LEAST_SLACK_BYTES, SLACK_MEMTABLES * memTableBytes);
    }

    /** The bytes of memory that a memtable takes at a time; a power of two. */
    public int chunkBytes() {
        return (int) Long.highestOneBit(Math.clamp(memTableBytes / 16, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES));
    }

    /** A memtable that is not searched begins another run when the newest one takes this number of bytes. */
    public long runBytes() {
        return memTableBytes / MOST_RUNS;
    }

    /** A compaction begins a new file when one has this size. */
    public long fileBytes() {
        return Math.clamp(memTableBytes / 2, MIN_FILE_BYTES, MAX_FILE_BYTES);
    }

    /** A value segment ends when the value that is being added brings it to this size. */
    public long segmentBytes() {
        return Math.min(memTableBytes, MAX_SEGMENT_BYTES);
    }

    /** A value segment that memtables point into ends at this size, so that one memtable has not too many of them. */
    long growingSegmentBytes() {
        return Math.max(segmentBytes(), MIN_GROWING_SEGMENT_BYTES);
    }

    public long maxApartBytes() {
        return APART_RATIO * memTableBytes;
    }

    /** Level 0 is compacted when it has this number of files: more where memtables are flushed with few bytes apart. */
    public int level0Trigger(long memTableApartBytes) {
        long files = LEVEL_0_TRIGGER * maxApartBytes() / Math.max(1, memTableApartBytes);
        return Math.min(maxLevel0Files, Math.clamp(files, LEVEL_0_TRIGGER, MOST_LEVEL_0_TRIGGER));
    }

    /** Level 0 is compacted when it has this number of files. */
    public int level0Trigger() {
        return Math.min(LEVEL_0_TRIGGER, maxLevel0Files);
    }

    /** A level with more bytes is compacted into the next one. For levels from 1 on. */
    public long levelBytes(int level) {
        long bytes = LEVEL_0_TRIGGER * memTableBytes;
        for (int i = 1; i < level; i++) {
            bytes *= LEVEL_RATIO;
        }
        return bytes;
    }
}
