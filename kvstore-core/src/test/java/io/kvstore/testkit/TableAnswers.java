package io.kvstore.testkit;

import io.kvstore.data.Entry;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the answers of an engine with those of a model. An engine without an order of keys gives the entries of a range of
 * all keys in an order of its own, and the entries behind any key in the same order.
 */
record TableAnswers(TableEngine engine, boolean isOrdered) {

    /** Pages of a small table. A large one has so many. */
    private static final int PAGE_ENTRIES = 7;

    private static final int MOST_PAGES = 20;

    /** Compares every entry, through scans in both directions, a count and gets. */
    void check(ReadView view, ModelTable model) throws IOException {
        checkScan(view, model, KeyRange.all());
        if (isOrdered) {
            checkScan(view, model, KeyRange.all().reverse());
        }
        for (Entry entry : model.scan(KeyRange.all())) {
            checkGet(view, model, entry.key());
        }
    }

    void checkGet(ReadView view, ModelTable model, byte[] key) throws IOException {
        byte[] expected = model.get(key);
        byte[] actual = engine.get(key, view);
        if (expected == null ? actual != null : actual == null || !Arrays.equals(expected, actual)) {
            throw new AssertionError("get " + KeyOrder.display(key) + " in " + view + " gives " + text(actual)
                    + ", expected " + text(expected));
        }
    }

    /** Compares the entries of a range and their number. What a table without order would refuse is left out. */
    void checkScan(ReadView view, ModelTable model, KeyRange range) throws IOException {
        if (isOrdered) {
            compare(range, view, model.scan(range));
            return;
        }
        List<Entry> all = scan(KeyRange.all(), view);
        compare(KeyRange.all(), view, all, model.scan(KeyRange.all()));
        checkPages(view, all);
        KeyRange asked = KeyRange.all().limit(range.limit());
        asked = range.keysOnly() ? asked.withoutValues() : asked;
        compare(asked, view, limited(all, asked));
        if (range.lower() != null) {
            List<Entry> behind = scan(KeyRange.all().after(range.lower()), view);
            if (!all.subList(all.size() - behind.size(), all.size()).equals(behind)) {
                throw new AssertionError("in " + view + " there are " + behind.size() + " entries behind "
                        + KeyOrder.display(range.lower()) + ", which are not the last ones of all " + all.size());
            }
            KeyRange after = asked.after(range.lower());
            compare(after, view, limited(behind, after));
        }
    }

    /** Pages, each of which begins behind the last key of the one before, give all entries in the same order. */
    private void checkPages(ReadView view, List<Entry> all) throws IOException {
        List<Entry> paged = new ArrayList<>();
        int pageEntries = Math.max(PAGE_ENTRIES, all.size() / MOST_PAGES);
        List<Entry> page = scan(KeyRange.all().limit(pageEntries), view);
        while (!page.isEmpty() && paged.size() <= all.size()) {
            paged.addAll(page);
            page = scan(KeyRange.all().after(page.getLast().key()).limit(pageEntries), view);
        }
        if (!paged.equals(all)) {
            throw new AssertionError("pages in " + view + " give " + difference(paged, all));
        }
    }

    private static List<Entry> limited(List<Entry> entries, KeyRange range) {
        return entries.stream()
                .limit(range.limit())
                .map(entry -> range.keysOnly() ? new Entry(entry.key(), new byte[0]) : entry)
                .toList();
    }

    private void compare(KeyRange range, ReadView view, List<Entry> expected) throws IOException {
        List<Entry> actual = scan(range, view);
        if (!expected.equals(actual)) {
            throw new AssertionError(range + " in " + view + " gives " + difference(actual, expected));
        }
        long count = engine.count(range, view);
        if (count != expected.size()) {
            throw new AssertionError(
                    "count " + range + " in " + view + " gives " + count + ", expected " + expected.size());
        }
    }

    /** The same for entries in the engine's own order, and a model in the order of keys. */
    private void compare(KeyRange range, ReadView view, List<Entry> actual, List<Entry> expected) throws IOException {
        List<Entry> sorted = actual.stream()
                .sorted(Comparator.comparing(Entry::key, KeyOrder.COMPARATOR))
                .toList();
        if (!expected.equals(sorted)) {
            throw new AssertionError(range + " in " + view + " gives " + difference(sorted, expected));
        }
        compare(range, view, actual);
    }

    private List<Entry> scan(KeyRange range, ReadView view) throws IOException {
        try (EngineCursor cursor = engine.scan(range, view)) {
            return entries(cursor, range);
        }
    }

    /** The entries of a cursor; an engine may give more than the limit and values that were not asked for. */
    static List<Entry> entries(EngineCursor cursor, KeyRange range) throws IOException {
        List<Entry> found = new ArrayList<>();
        while (found.size() < range.limit() && cursor.next()) {
            found.add(new Entry(cursor.key(), range.keysOnly() ? new byte[0] : value(cursor)));
        }
        return found;
    }

    /** The value, which has to be the same where it was read. */
    private static byte[] value(EngineCursor cursor) throws IOException {
        byte[] value = cursor.value();
        byte[] there = cursor.valueHere().toArray();
        if (!Arrays.equals(value, there)) {
            throw new AssertionError("a value is " + text(value) + ", and where it was read " + text(there));
        }
        return value;
    }

    private static String difference(List<Entry> actual, List<Entry> expected) {
        int at = 0;
        while (at < Math.min(actual.size(), expected.size()) && actual.get(at).equals(expected.get(at))) {
            at++;
        }
        return actual.size() + " entries, expected " + expected.size() + "; at " + at + " it has "
                + (at < actual.size() ? actual.get(at) : "nothing") + ", expected "
                + (at < expected.size() ? expected.get(at) : "nothing");
    }

    private static String text(byte @Nullable [] value) {
        return value == null ? "null" : value.length + " bytes beginning " + KeyOrder.display(value);
    }
}
