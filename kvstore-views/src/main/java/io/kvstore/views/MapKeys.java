package io.kvstore.views;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Spliterator;
import org.jspecify.annotations.Nullable;

/** The keys of a map. Each part of the set is the set of keys of a part of the map. */
final class MapKeys<K, V> extends AbstractSet<K> implements NavigableSet<K> {

    private final TableMap<K, V> map;

    MapKeys(TableMap<K, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<K> iterator() {
        return map.range().keys();
    }

    @Override
    public Iterator<K> descendingIterator() {
        return map.range().reversed().keys();
    }

    @Override
    public Spliterator<K> spliterator() {
        return new KeySpliterator<>(iterator(), comparator());
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
    public boolean contains(Object key) {
        return map.containsKey(key);
    }

    @Override
    public boolean remove(Object key) {
        return map.changes().removeKey(key);
    }

    /** One removal for each given key; the inherited method may walk over the whole table instead. */
    @Override
    public boolean removeAll(Collection<?> keys) {
        boolean changed = false;
        for (Object key : keys) {
            changed |= remove(key);
        }
        return changed;
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public @Nullable Comparator<? super K> comparator() {
        return map.comparator();
    }

    @Override
    public K first() {
        return map.firstKey();
    }

    @Override
    public K last() {
        return map.lastKey();
    }

    @Override
    public @Nullable K lower(K key) {
        return map.lowerKey(key);
    }

    @Override
    public @Nullable K floor(K key) {
        return map.floorKey(key);
    }

    @Override
    public @Nullable K ceiling(K key) {
        return map.ceilingKey(key);
    }

    @Override
    public @Nullable K higher(K key) {
        return map.higherKey(key);
    }

    @Override
    public @Nullable K pollFirst() {
        return keyOf(map.pollFirstEntry());
    }

    @Override
    public @Nullable K pollLast() {
        return keyOf(map.pollLastEntry());
    }

    private @Nullable K keyOf(Map.@Nullable Entry<K, V> entry) {
        return entry == null ? null : entry.getKey();
    }

    @Override
    public NavigableSet<K> descendingSet() {
        return map.descendingKeySet();
    }

    @Override
    public NavigableSet<K> subSet(K from, boolean fromInclusive, K to, boolean toInclusive) {
        return map.subMap(from, fromInclusive, to, toInclusive).navigableKeySet();
    }

    @Override
    public NavigableSet<K> headSet(K to, boolean inclusive) {
        return map.headMap(to, inclusive).navigableKeySet();
    }

    @Override
    public NavigableSet<K> tailSet(K from, boolean inclusive) {
        return map.tailMap(from, inclusive).navigableKeySet();
    }

    @Override
    public NavigableSet<K> subSet(K from, K to) {
        return subSet(from, true, to, false);
    }

    @Override
    public NavigableSet<K> headSet(K to) {
        return headSet(to, false);
    }

    @Override
    public NavigableSet<K> tailSet(K from) {
        return tailSet(from, true);
    }

    @Override
    public String toString() {
        return map.range().print("[", iterator(), "]");
    }
}
