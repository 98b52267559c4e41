package io.kvstore.bplus;

import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.maintenance.Space;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.engine.EngineStats;
import io.kvstore.value.ValueStore;
import io.kvstore.value.index.HashIndex;
import java.util.ArrayList;
import java.util.List;

/** The measures of a table, put together from its parts. */
final class BPlusStats {

    private static final long NANOS_OF_MILLI = 1_000_000;

    private final List<EngineStats.Measure> measures = new ArrayList<>();

    List<EngineStats.Measure> measures() {
        return List.copyOf(measures);
    }

    void add(String name, long value, String help) {
        add(name, (double) value, help);
    }

    private void add(String name, double value, String help) {
        measures.add(new EngineStats.Measure(name, value, help));
    }

    void addPages(Tree tree, PageIds ids, TreeVersions versions, PageBuffer.Counts counts) {
        add("height_levels", tree.height(), "Pages from the root to a leaf, if it was read.");
        add("pages", ids.liveCount(), "Pages of the tree.");
        add("resident_units", counts.units(), "Units of 4 KiB in the page buffer.");
        add("dirty_pages", counts.dirtyPages(), "Pages in memory that the file has not got.");
        add("page_loads", counts.loads(), "Pages read from the file since the table was opened.");
        add("page_hit_ratio", counts.hitRatio(), "Pages found in memory; an estimate.");
        add("leaf_fill_ratio", counts.leafFill(), "Leaves in memory; an estimate.");
        add("page_evictions", counts.evictions(), "Pages evicted since the table was opened.");
        add("retired_pages", versions.retiredPages(), "Pages kept for older states.");
    }

    void addValues(ValueStore values, Space space) {
        add("value_segments", values.log().segments().size(), "Files of values that are kept apart.");
        add("value_live_bytes", values.liveBytes(), "Bytes of values that the table has now.");
        add("value_dead_bytes", values.deadBytes(), "Bytes of values that were replaced or removed.");
        add("value_pinned_bytes", values.pinnedBytes(), "Bytes of values that only older states have.");
        add("value_waiting_bytes", values.log().waitingBytes(), "Bytes of values that are not in a file yet.");
        add(
                "value_debt_bytes",
                space.debtBytes(),
                "Bytes of values that are to be given back, waiting changes included.");
        add("value_debt_limit_bytes", space.limitBytes(), "Writers wait while there is more of that.");
        add(
                "value_uncached_bytes",
                values.log().uncachedBytes(),
                "Bytes of values written past the system's cache of files since the table was opened.");
    }

    void addReads(HashIndex index, ValueStore values) {
        add("hash_index_bytes", index.bytes(), "Memory of the hash index.");
        add("hash_index_entries", index.entries(), "Values that the hash index knows the place of.");
        add("value_scattered_reads", values.log().scattered(), "Values scans read from elsewhere, since ordered.");
    }

    void addCheckpoints(long count, long tookNanos, long ageNanos) {
        add("checkpoints", count, "Checkpoints since the table was opened.");
        add("checkpoint_millis", tookNanos / NANOS_OF_MILLI, "What the last checkpoint took.");
        add("checkpoint_age_millis", ageNanos / NANOS_OF_MILLI, "Since the last checkpoint, or the opening.");
    }
}
