package io.kvstore.testkit;

import io.kvstore.data.Entry;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a table should answer: a {@link TreeMap} in key order. Not safe for use by several threads. */
public final class ModelTable {

    private final NavigableMap<byte[], byte[]> entries;

    /** An empty table. */
    public ModelTable() {
        this.entries = new TreeMap<>(KeyOrder.COMPARATOR);
    }

    private ModelTable(NavigableMap<byte[], byte[]> entries) {
        this.entries = entries;
    }

    /** The table as it is now; later changes of either do not show in the other. */
    public ModelTable snapshot() {
        return new ModelTable(new TreeMap<>(entries));
    }

    /** Sets a value. */
    public void put(byte[] key, byte[] value) {
        entries.put(key, value);
    }

    /** Removes a key, whether it is there or not. */
    public void remove(byte[] key) {
        entries.remove(key);
    }

    /** Applies mutations in order. */
    public void apply(List<Mutation> mutations) {
        for (Mutation mutation : mutations) {
            switch (mutation) {
                case Mutation.Put(byte[] key, byte[] value) -> put(key, value);
                case Mutation.Remove(byte[] key) -> remove(key);
            }
        }
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(byte[] key) {
        return entries.get(key);
    }

    /** How many keys have a value. */
    public int size() {
        return entries.size();
    }

    /** The entries of a range, its direction, limit and keys-only honoured. */
    public List<Entry> scan(KeyRange range) {
        List<Entry> found = new ArrayList<>();
        for (Map.Entry<byte[], byte[]> entry : inRange(entries, range).entrySet()) {
            if (found.size() >= range.limit()) {
                break;
            }
            found.add(new Entry(entry.getKey(), range.keysOnly() ? new byte[0] : entry.getValue()));
        }
        return found;
    }

    /** How many entries a range has, up to its limit. */
    public long count(KeyRange range) {
        return Math.min(range.limit(), inRange(entries, range).size());
    }

    /** The part of a map in key order that a range has, in its direction. Limits are not looked at. */
    public static <V> NavigableMap<byte[], V> inRange(NavigableMap<byte[], V> entries, KeyRange range) {
        byte[] lower = range.lower();
        byte[] upper = range.upper();
        if (lower != null && upper != null && KeyOrder.compare(lower, upper) > 0) {
            return new TreeMap<>(KeyOrder.COMPARATOR);
        }
        NavigableMap<byte[], V> found = entries;
        if (lower != null && upper != null) {
            found = entries.subMap(lower, range.lowerInclusive(), upper, range.upperInclusive());
        } else if (lower != null) {
            found = entries.tailMap(lower, range.lowerInclusive());
        } else if (upper != null) {
            found = entries.headMap(upper, range.upperInclusive());
        }
        return range.reversed() ? found.descendingMap() : found;
    }
}
