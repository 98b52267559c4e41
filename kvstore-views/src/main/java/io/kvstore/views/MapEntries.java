package io.kvstore.views;

import static java.util.Objects.requireNonNull;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;

/** The entries of a map. */
final class MapEntries<K, V> extends AbstractSet<Map.Entry<K, V>> {

    private final TableMap<K, V> map;

    MapEntries(TableMap<K, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
        return map.range().entries();
    }

    @Override
    public Spliterator<Map.Entry<K, V>> spliterator() {
        return Spliterators.spliteratorUnknownSize(iterator(), KeySpliterator.ALWAYS | Spliterator.DISTINCT);
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public boolean contains(Object element) {
        if (!(element instanceof Map.Entry<?, ?> entry)) {
            return false;
        }
        Coding<K, V> coding = map.range().coding();
        byte[] value = map.range().get(coding.keyBytes(entry.getKey()));
        return value != null && Arrays.equals(value, coding.valueBytes(entry.getValue()));
    }

    @Override
    public boolean remove(Object element) {
        return element instanceof Map.Entry<?, ?> entry && map.remove(entry.getKey(), entry.getValue());
    }

    /** One removal for each given entry; the inherited method may walk over the whole table instead. */
    @Override
    public boolean removeAll(Collection<?> entries) {
        boolean changed = false;
        for (Object entry : entries) {
            changed |= remove(entry);
        }
        return changed;
    }

    @Override
    public boolean removeIf(Predicate<? super Map.Entry<K, V>> test) {
        return map.changes().removeIf(test);
    }

    @Override
    public boolean retainAll(Collection<?> entries) {
        requireNonNull(entries);
        return removeIf(entry -> !entries.contains(entry));
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public String toString() {
        return map.range().print("[", iterator(), "]");
    }
}
