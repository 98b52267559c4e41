package io.kvstore;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.PinnedView;
import io.kvstore.durability.TableCursor;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StorageException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    private static final byte[] FIRST = {};

    /** Each division makes parts of one page or block out of a thousand of them; so this is never reached. */
    private static final int MOST_DIVISIONS = 8;

    private final OpenTable table;
    private final PinnedView view;
    private final OfflineStore from;
    private final Sink sink;

    /** The parts that cannot be walked over, by the key before each. */
    private final TreeMap<byte[], Lost> lost = new TreeMap<>(KeyOrder.COMPARATOR);

    SalvageScan(OpenTable table, PinnedView view, OfflineStore from, Sink sink) {
        this.table = table;
        this.view = view;
        this.from = from;
        this.sink = sink;
    }

    void run() {
        read(KeyRange.all(), 0);
        if (!lost.isEmpty()) {
            from.damaged().salvage(table, KeyRange.all(), this::take);
            lost.values().forEach(this::report);
        }
    }

    /** Passes on an entry that was found beside the way to it, if nothing else has passed it on. */
    private void take(byte[] key, byte[] value) {
        Map.Entry<byte[], Lost> found = table.isOrdered() ? lost.floorEntry(key) : lost.firstEntry();
        if (found != null && found.getValue().range().contains(key)) {
            found.getValue().found++;
            sink.put(key, value);
        }
    }

    /** How far a walk came. */
    private record Stop(byte @Nullable [] last, KVStoreException cause) {}

    /** A part of the table that cannot be walked over. */
    private static final class Lost {

        private final KeyRange range;
        private final KVStoreException cause;
        private final String what;
        private long found;

        Lost(KeyRange range, KVStoreException cause, String what) {
            this.range = range;
            this.cause = cause;
            this.what = what;
        }

        KeyRange range() {
            return range;
        }
    }

    private void report(Lost part) {
        String found = part.found == 0 ? "" : ", but for " + part.found + " that were found all the same";
        report(part.cause, part.what + found);
    }

    private void read(KeyRange range, int divisions) {
        Stop stop = walk(range);
        if (stop == null) {
            return;
        }
        if (!table.isOrdered()) {
            lost.put(
                    FIRST,
                    new Lost(
                            KeyRange.all(),
                            stop.cause(),
                            "entries behind key " + display(stop.last()) + " in the order of the table are lost"));
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
        } catch (CorruptionException | StorageException e) {
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
        KeyRange between = second.last() == null ? rest : rest.to(second.last(), false);
        lost.put(
                lower == null ? FIRST : lower,
                new Lost(
                        between,
                        first.cause(),
                        "entries between " + (lower == null ? "the first key" : "key " + display(lower)) + " and "
                                + (upper == null ? "the last key" : "key " + display(upper)) + " are lost"));
    }

    /** Reads on until there is damage. Null if there is none up to the end of the range. */
    private @Nullable Stop walk(KeyRange range) {
        byte[] last = null;
        TableCursor cursor;
        try {
            cursor = view.scan(table, range, false);
        } catch (CorruptionException | StorageException e) {
            return new Stop(null, e);
        }
        try (cursor) {
            while (cursor.next()) {
                last = cursor.key();
                readValue(cursor, last);
            }
            return null;
        } catch (CorruptionException | StorageException e) {
            return new Stop(last, e);
        }
    }

    private void readValue(TableCursor cursor, byte[] key) {
        byte[] value;
        try {
            value = cursor.value();
        } catch (CorruptionException | StorageException e) {
            report(e, "the value of key " + display(key) + " is lost");
            return;
        }
        sink.put(key, value);
    }

    private void report(KVStoreException cause, String loss) {
        CorruptionException damage = cause instanceof CorruptionException found ? found : null;
        from.losses()
                .report(
                        damage == null ? table.database() + "/" + table.name() : damage.file(),
                        damage == null ? -1 : damage.offset(),
                        "table " + table.database() + "/" + table.name() + ": " + loss + " (" + cause.getMessage()
                                + ")");
    }

    private static String display(byte @Nullable [] key) {
        return key == null ? "none" : KeyOrder.display(key);
    }
}
