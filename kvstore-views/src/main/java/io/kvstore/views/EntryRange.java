package io.kvstore.views;

import io.kvstore.Cursor;
import io.kvstore.Snapshot;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.views.KeyWindow.Bound;
import java.util.Iterator;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The entries that a map shows: whence they come, what they mean, and which of them belong to it. Maps, sub-maps, descending
 * maps and their sets differ in nothing but this. Immutable.
 */
record EntryRange<K, V>(EntrySource source, Coding<K, V> coding, KeyWindow window) {

    private static final int PRINTED = 10;

    EntryRange<K, V> part(@Nullable Bound from, @Nullable Bound to) {
        return new EntryRange<>(source, coding, window.part(from, to));
    }

    EntryRange<K, V> reversed() {
        return new EntryRange<>(source, coding, window.reversed());
    }

    EntryRange<K, V> at(Snapshot snapshot) {
        return new EntryRange<>(new EntrySource.Then(source.table(), snapshot), coding, window);
    }

    /**
     * The bytes of a key that is to get a value.
     *
     * @throws IllegalArgumentException if the key lies outside of this range
     */
    byte[] keyInside(K key) {
        byte[] bytes = coding.keyBytes(key);
        if (!window.contains(bytes)) {
            throw new IllegalArgumentException("the key " + key + " is outside of the range of this map");
        }
        return bytes;
    }

    byte @Nullable [] get(byte[] key) {
        return window.contains(key) ? source.get(key) : null;
    }

    boolean contains(byte[] key) {
        return window.contains(key) && source.contains(key);
    }

    long count() {
        return source.count(window.range());
    }

    int size() {
        return (int) Math.min(count(), Integer.MAX_VALUE);
    }

    boolean isEmpty() {
        return source.count(window.range().limit(1)) == 0;
    }

    /** All keys, in the direction of the map or in the other one. */
    KeyRange walk(boolean ahead) {
        return ahead ? window.range() : window.range().reverse();
    }

    /** The first key of a walk, or null. */
    @Nullable
    K firstKey(@Nullable KeyRange walk) {
        Entry first = walk == null ? null : first(walk.withoutValues());
        return first == null ? null : coding.key(first.key());
    }

    /** The first entry of a walk, or null. */
    Map.@Nullable Entry<K, V> firstEntry(@Nullable KeyRange walk) {
        Entry first = walk == null ? null : first(walk);
        return first == null ? null : coding.entry(first);
    }

    @Nullable
    Entry first(KeyRange walk) {
        try (Cursor cursor = source.scan(walk.limit(1))) {
            return cursor.next() ? new Entry(cursor.key(), cursor.value()) : null;
        }
    }

    EntryPages pages() {
        return new EntryPages(source::scan, window.range());
    }

    EntryPages pagesOfKeys() {
        return new EntryPages(source::scan, window.range().withoutValues());
    }

    Iterator<K> keys() {
        return new EntryIterator<>(source, pagesOfKeys(), entry -> coding.key(entry.key()));
    }

    Iterator<V> values() {
        return new EntryIterator<>(source, pages(), entry -> coding.value(entry.key(), entry.value()));
    }

    Iterator<Map.Entry<K, V>> entries() {
        return new EntryIterator<>(source, pages(), entry -> new WritableEntry<>(this, entry));
    }

    /** The first elements, and that there are more. They are not counted, because that may walk over the whole table. */
    String print(String opening, Iterator<?> elements, String closing) {
        StringJoiner text = new StringJoiner(", ", opening, closing);
        for (int i = 0; i < PRINTED && elements.hasNext(); i++) {
            text.add(String.valueOf(elements.next()));
        }
        if (elements.hasNext()) {
            text.add("...");
        }
        return text.toString();
    }
}
