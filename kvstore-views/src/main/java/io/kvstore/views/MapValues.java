package io.kvstore.views;

import static java.util.Objects.requireNonNull;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;

/** The values of a map, in the order of their keys. */
final class MapValues<V> extends AbstractCollection<V> {

    private final TableMap<?, V> map;

    MapValues(TableMap<?, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<V> iterator() {
        return map.range().values();
    }

    @Override
    public Spliterator<V> spliterator() {
        return Spliterators.spliteratorUnknownSize(iterator(), KeySpliterator.ALWAYS);
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
    public boolean contains(Object value) {
        return map.containsValue(value);
    }

    @Override
    public boolean remove(Object value) {
        return map.changes().removeValue(value);
    }

    @Override
    public boolean removeIf(Predicate<? super V> test) {
        requireNonNull(test);
        return map.changes().removeIf(entry -> test.test(entry.getValue()));
    }

    @Override
    public boolean removeAll(Collection<?> values) {
        requireNonNull(values);
        return removeIf(values::contains);
    }

    @Override
    public boolean retainAll(Collection<?> values) {
        requireNonNull(values);
        return removeIf(value -> !values.contains(value));
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
