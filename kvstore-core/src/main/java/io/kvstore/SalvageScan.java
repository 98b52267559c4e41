package io.kvstore;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.PinnedView;
import io.kvstore.durability.TableCursor;
import io.kvstore.error.CorruptionException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of a table around damage.
 *
 * <p>A damaged value costs its entry, whose key is known. If a step of the cursor meets damage, the rest of the range is
 * divided at keys that the engine proposes: there its pages or blocks begin. In a part that cannot be divided, entries are read
 * from its end down to the damage, and in between those that the engine finds without what leads to them. So the loss is at
 * most one damaged page or block. The keys on both sides of it are reported.
 */
final class SalvageScan {

    /** Gets the entries, in any order. */
    @FunctionalInterface
    interface Sink {
        void put(byte[] key, byte[] value);
    }

    private static final int PARTS = 1_024;

    /** Each division makes parts of one page or block out of a thousand of them; so this is never reached. */
    private static final int MOST_DIVISIONS = 8;

    private final OpenTable table;
    private final PinnedView view;
    private final OfflineStore from;
    private final Sink sink;

    SalvageScan(OpenTable table, PinnedView view, OfflineStore from, Sink sink) {
        this.table = table;
        this.view = view;
        this.from = from;
        this.sink = sink;
    }

    void run() {
        read(KeyRange.all(), 0);
    }

    /** How far a walk came. */
    private record Stop(byte @Nullable [] last, CorruptionException cause) {}

    private void read(KeyRange range, int divisions) {
        Stop stop = walk(range);
        if (stop == null) {
            return;
        }
        if (!table.isOrdered()) {
            long found = from.damaged().salvage(table, KeyRange.all(), sink::put);
            report(
                    stop.cause(),
                    "entries are lost" + (found == 0 ? " behind key " + display(stop.last()) + " in its order" : ""));
            return;
        }
        KeyRange rest = stop.last() == null ? range : range.from(stop.last(), false);
        List<KeyRange> parts = divisions < MOST_DIVISIONS ? split(rest) : List.of(rest);
        if (parts.size() > 1) {
            parts.forEach(part -> read(part, divisions + 1));
        } else {
            readBackward(rest, stop);
        }
    }

    private List<KeyRange> split(KeyRange range) {
        try {
            return from.parts().reads().split(table, range, PARTS);
        } catch (CorruptionException e) {
            return List.of(range);
        }
    }

    private void readBackward(KeyRange rest, Stop first) {
        Stop second = walk(rest.reverse());
        if (second == null) {
            return; // the damage is not on the way back, and all entries were met
        }
        byte[] lower = first.last() == null ? rest.lower() : first.last();
        byte[] upper = second.last() == null ? rest.upper() : second.last();
        KeyRange lost = second.last() == null ? rest : rest.to(second.last(), false);
        long found = from.damaged().salvage(table, lost, sink::put);
        report(
                first.cause(),
                "entries between " + (lower == null ? "the first key" : "key " + display(lower)) + " and "
                        + (upper == null ? "the last key" : "key " + display(upper)) + " are lost"
                        + (found == 0 ? "" : ", but " + found + " that were found all the same"));
    }

    /** Reads on until there is damage. Null if there is none up to the end of the range. */
    private @Nullable Stop walk(KeyRange range) {
        byte[] last = null;
        TableCursor cursor;
        try {
            cursor = view.scan(table, range, false);
        } catch (CorruptionException e) {
            return new Stop(null, e);
        }
        try (cursor) {
            while (cursor.next()) {
                last = cursor.key();
                readValue(cursor, last);
            }
            return null;
        } catch (CorruptionException e) {
            return new Stop(last, e);
        }
    }

    private void readValue(TableCursor cursor, byte[] key) {
        byte[] value;
        try {
            value = cursor.value();
        } catch (CorruptionException e) {
            report(e, "the value of key " + display(key) + " is lost");
            return;
        }
        sink.put(key, value);
    }

    private void report(CorruptionException cause, String loss) {
        from.losses()
                .report(
                        cause.file(),
                        cause.offset(),
                        "table " + table.database() + "/" + table.name() + ": " + loss + " (" + cause.getMessage()
                                + ")");
    }

    private static String display(byte @Nullable [] key) {
        return key == null ? "none" : KeyOrder.display(key);
    }
}
