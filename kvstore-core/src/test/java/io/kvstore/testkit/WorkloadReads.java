package io.kvstore.testkit;

import io.kvstore.Cursor;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Scans of a workload, compared with the model. */
final class WorkloadReads {

    private final StoreSession session;
    private final StoreLedger ledger;
    private final SplittableRandom random;
    private final Tally tally;

    WorkloadReads(StoreSession session, StoreLedger ledger, SplittableRandom random, Tally tally) {
        this.session = session;
        this.ledger = ledger;
        this.random = random;
        this.tally = tally;
    }

    /** One random scan or count between two keys. */
    void scan(String name, byte[] one, byte[] other) {
        KeyRange range = range(one, other);
        StoreLedger.Home home = ledger.names().get(name);
        if (home == null) {
            return;
        }
        ModelTable model = ledger.live(home.uid());
        Table table = StoreWorkload.tableOf(session.store(), name);
        if (!table.isOrdered()) {
            tally.count("op.scan in own order");
            page(table, model, one);
        } else if (random.nextInt(4) == 0) {
            tally.count("op.count");
            long expected = model.count(range);
            long found = table.count(range);
            if (found != expected) {
                throw new AssertionError("a count of " + name + " gave " + found + ", should be " + expected);
            }
        } else {
            tally.count(range.reversed() ? "op.scan backward" : "op.scan forward");
            try (Cursor cursor = table.scan(range)) {
                compare(name, entries(cursor), model.scan(range));
            }
        }
        ledger.answered(home);
    }

    /** Compares all entries of a table without an order of keys. Those behind a key have to come in the same order. */
    private static void page(Table table, ModelTable model, byte[] key) {
        List<Entry> all = entries(table, KeyRange.all());
        compare(table.name(), inKeyOrder(all), model.scan(KeyRange.all()));
        List<Entry> behind = entries(table, KeyRange.all().after(key));
        compare(table.name(), behind, all.subList(all.size() - behind.size(), all.size()));
        if (!behind.isEmpty()) {
            byte[] first = behind.getFirst().key();
            compare(table.name(), entries(table, KeyRange.all().after(first)), behind.subList(1, behind.size()));
        }
        long count = table.count(KeyRange.all().after(key));
        if (count != behind.size()) {
            throw new AssertionError("a count of " + table.name() + " gave " + count + ", should be " + behind.size());
        }
    }

    private static List<Entry> inKeyOrder(List<Entry> entries) {
        return entries.stream()
                .sorted(Comparator.comparing(Entry::key, KeyOrder.COMPARATOR))
                .toList();
    }

    private static List<Entry> entries(Table table, KeyRange range) {
        try (Cursor cursor = table.scan(range)) {
            return entries(cursor);
        }
    }

    private KeyRange range(byte[] one, byte[] other) {
        boolean ordered = KeyOrder.compare(one, other) <= 0;
        KeyRange range = switch (random.nextInt(4)) {
            case 0 -> KeyRange.all();
            case 1 -> KeyRange.all().from(one, random.nextInt(2) == 0);
            case 2 -> KeyRange.prefix(one);
            default -> KeyRange.between(ordered ? one : other, ordered ? other : one);
        };
        if (random.nextInt(2) == 0) {
            range = range.reverse();
        }
        return random.nextInt(3) == 0 ? range.limit(1 + random.nextInt(10)) : range;
    }

    /** Compares all that a snapshot shows of a table. */
    static void check(Snapshot snapshot, Table table, ModelTable model) {
        KeyRange all = KeyRange.all();
        for (KeyRange range : table.isOrdered() ? List.of(all, all.reverse()) : List.of(all)) {
            try (Cursor cursor = snapshot.scan(table, range)) {
                List<Entry> found = entries(cursor);
                compare(
                        "a snapshot of " + table.name(),
                        table.isOrdered() ? found : inKeyOrder(found),
                        model.scan(range));
            }
        }
        if (snapshot.count(table, KeyRange.all()) != model.size()) {
            throw new AssertionError("a snapshot of " + table.name() + " counts wrong");
        }
    }

    private static List<Entry> entries(Cursor cursor) {
        List<Entry> found = new ArrayList<>();
        while (cursor.next()) {
            found.add(new Entry(cursor.key(), cursor.value()));
        }
        return found;
    }

    private static void compare(String name, List<Entry> found, List<Entry> expected) {
        if (!found.equals(expected)) {
            throw new AssertionError("a scan of " + name + " gave " + found.size() + " entries, should give "
                    + expected.size() + ", or they differ");
        }
    }
}
