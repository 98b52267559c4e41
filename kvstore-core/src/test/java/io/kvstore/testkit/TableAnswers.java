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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares what an engine answers with what a model says. */
final class TableAnswers {

    private TableAnswers() {}

    /** Compares every entry, through scans in both directions, a count and gets. */
    static void check(TableEngine engine, ReadView view, ModelTable model) throws IOException {
        checkScan(engine, view, model, KeyRange.all());
        checkScan(engine, view, model, KeyRange.all().reverse());
        for (Entry entry : model.scan(KeyRange.all())) {
            checkGet(engine, view, model, entry.key());
        }
    }

    static void checkGet(TableEngine engine, ReadView view, ModelTable model, byte[] key) throws IOException {
        byte[] expected = model.get(key);
        byte[] actual = engine.get(key, view);
        if (expected == null ? actual != null : actual == null || !Arrays.equals(expected, actual)) {
            throw new AssertionError("get " + KeyOrder.display(key) + " in " + view + " gives " + text(actual)
                    + ", expected " + text(expected));
        }
    }

    static void checkScan(TableEngine engine, ReadView view, ModelTable model, KeyRange range) throws IOException {
        List<Entry> expected = model.scan(range);
        List<Entry> actual;
        try (EngineCursor cursor = engine.scan(range, view)) {
            actual = entries(cursor, range);
        }
        if (!expected.equals(actual)) {
            throw new AssertionError(
                    "scan " + new TableStep.Scan(range, -1) + " in " + view + " gives " + difference(actual, expected));
        }
        long count = engine.count(range, view);
        if (count != model.count(range)) {
            throw new AssertionError("count " + new TableStep.Scan(range, -1) + " in " + view + " gives " + count
                    + ", expected " + model.count(range));
        }
    }

    /** What a cursor gives; an engine may give more than the limit and values that were not asked for. */
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
