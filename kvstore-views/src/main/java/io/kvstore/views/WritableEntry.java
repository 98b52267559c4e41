package io.kvstore.views;

import io.kvstore.data.Entry;
import java.util.Map;

/** An entry as an iterator found it. {@link #setValue} writes to the table, whatever the key's value is by then. */
final class WritableEntry<K, V> implements Map.Entry<K, V> {

    private final EntryRange<K, V> range;
    private final byte[] keyBytes;
    private final K key;
    private V value;

    WritableEntry(EntryRange<K, V> range, Entry entry) {
        this.range = range;
        this.keyBytes = entry.key();
        this.key = range.coding().key(entry.key());
        this.value = range.coding().value(entry.key(), entry.value());
    }

    @Override
    public K getKey() {
        return key;
    }

    @Override
    public V getValue() {
        return value;
    }

    @Override
    public V setValue(V given) {
        range.source().changeable().put(keyBytes, range.coding().valueBytes(given));
        V before = value;
        value = given;
        return before;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Map.Entry<?, ?> that && key.equals(that.getKey()) && value.equals(that.getValue());
    }

    @Override
    public int hashCode() {
        return key.hashCode() ^ value.hashCode();
    }

    @Override
    public String toString() {
        return key + "=" + value;
    }
}
