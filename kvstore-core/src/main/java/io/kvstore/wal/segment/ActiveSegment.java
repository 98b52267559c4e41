package io.kvstore.wal.segment;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/** The log's notes on a segment that holds records: the tables that need it, and the ranges that hold its frames. */
public final class ActiveSegment {

    private final long id;
    private final String path;
    private final long bytes;
    private final Map<Integer, Long> lastLsnByTable = new HashMap<>();
    private int latestTable = -1;
    private long latestLsn;

    /** The ranges of the file that hold frames. Empty until the segment is full. */
    private List<Gaps.Span> filled = List.of();

    public ActiveSegment(long id, String path, long bytes) {
        this.id = id;
        this.path = path;
        this.bytes = bytes;
    }

    public long id() {
        return id;
    }

    public String path() {
        return path;
    }

    public long bytes() {
        return bytes;
    }

    /** Marks the segment as full: nothing is appended to it any more. */
    public void fill(List<Gaps.Span> spans) {
        filled = spans;
    }

    public List<Gaps.Span> filled() {
        return filled;
    }

    /** Notes that the segment holds a record of a table. Called in lsn order. */
    public void note(int tableId, long lsn) {
        if (tableId != latestTable) {
            settle();
            latestTable = tableId;
        }
        latestLsn = lsn;
    }

    public void note(int[] tables, long lsn) {
        for (int table : tables) {
            note(table, lsn);
        }
    }

    /** A table that needs the segment. -1 if no table needs it. */
    public int holder(IntToLongFunction heldLsn) {
        settle();
        for (Map.Entry<Integer, Long> entry : lastLsnByTable.entrySet()) {
            if (heldLsn.applyAsLong(entry.getKey()) < entry.getValue()) {
                return entry.getKey();
            }
        }
        return -1;
    }

    private void settle() {
        if (latestTable >= 0) {
            lastLsnByTable.put(latestTable, latestLsn);
        }
    }
}
