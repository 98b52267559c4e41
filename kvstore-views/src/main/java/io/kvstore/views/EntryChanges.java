package io.kvstore.views;

import static java.util.Objects.requireNonNull;

import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.data.Durability;
import io.kvstore.data.Entry;
import io.kvstore.views.KeyWindow.Bound;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a map. Each changes one key, as a whole, on the condition that it names. Conditions compare bytes, never
 * decoded values: two objects that are not equal may have the same bytes, and the other way around, and a condition on
 * objects could then fail for ever.
 *
 * <p>Functions of the caller run without a lock of the table, so they may use the store. A function may run again when another
 * change of the key came between. Updates of the same key may wait for each other, as {@link Table#update} says.
 */
record EntryChanges<K, V>(EntryRange<K, V> range) {

    private static final String ENABLE_WAL = TableConfParamsEnum.ENABLE_WAL.name();

    private Coding<K, V> coding() {
        return range.coding();
    }

    private Table table() {
        return range.source().changeable();
    }

    void set(K key, V value) {
        table().put(range.keyInside(key), coding().valueBytes(value));
    }

    @Nullable
    V put(K key, V value) {
        Table table = table();
        byte[] bytes = range.keyInside(key);
        return coding().valueBefore(bytes, table.getAndPut(bytes, coding().valueBytes(value)));
    }

    @Nullable
    V putIfAbsent(K key, V value) {
        Table table = table();
        byte[] bytes = range.keyInside(key);
        byte[] encoded = coding().valueBytes(value);
        while (true) {
            byte[] present = table.get(bytes);
            if (present != null) {
                return coding().value(bytes, present);
            }
            if (table.putIfAbsent(bytes, encoded)) {
                return null;
            }
        }
    }

    @Nullable
    V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        requireNonNull(function);
        Table table = table();
        byte[] bytes = range.keyInside(key);
        byte[] present = table.get(bytes);
        if (present != null) {
            return coding().value(bytes, present);
        }
        V computed = function.apply(key);
        if (computed == null) {
            return null;
        }
        V earlier = putIfAbsent(key, computed);
        return earlier == null ? computed : earlier;
    }

    @Nullable
    V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        requireNonNull(function);
        byte[] bytes = coding().keyBytes(key);
        return range.window().contains(bytes) ? ifPresent(bytes, value -> function.apply(key, value)) : null;
    }

    @Nullable
    V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        requireNonNull(function);
        return update(range.keyInside(key), value -> function.apply(key, value));
    }

    @Nullable
    V merge(K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        requireNonNull(value);
        requireNonNull(function);
        return update(range.keyInside(key), before -> before == null ? value : function.apply(before, value));
    }

    /** Replaces the value of a key that has one. Returns the value that was there, or null. */
    @Nullable
    V replace(K key, V value) {
        AtomicReference<@Nullable V> replaced = new AtomicReference<>();
        byte[] encoded = coding().valueBytes(value);
        byte[] bytes = range.keyInside(key);
        table().update(bytes, present -> {
            replaced.set(present == null ? null : coding().value(bytes, present));
            return present == null ? null : encoded;
        });
        return replaced.get();
    }

    boolean replace(K key, V expected, V value) {
        byte[] encoded = coding().valueBytes(value);
        return table().replace(range.keyInside(key), coding().valueBytes(expected), encoded);
    }

    void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        requireNonNull(function);
        table();
        range.pagesOfKeys().forEachRemaining(entry -> {
            K key = coding().key(entry.key());
            ifPresent(entry.key(), value -> requireNonNull(function.apply(key, value), "a value is null"));
        });
    }

    @Nullable
    V remove(Object key) {
        Table table = table();
        byte[] bytes = coding().keyBytes(key);
        return range.window().contains(bytes) ? coding().valueBefore(bytes, table.getAndRemove(bytes)) : null;
    }

    /** Removes a key. Returns whether it had a value, which nobody decodes. */
    boolean removeKey(Object key) {
        Table table = table();
        byte[] bytes = coding().keyBytes(key);
        return range.window().contains(bytes) && table.getAndRemove(bytes) != null;
    }

    boolean remove(Object key, Object value) {
        Table table = table();
        byte[] bytes = coding().keyBytes(key);
        byte[] expected = coding().valueBytes(value);
        return range.window().contains(bytes) && table.remove(bytes, expected);
    }

    /** Removes one entry with this value. */
    boolean removeValue(Object value) {
        Table table = table();
        byte[] wanted = coding().valueBytes(value);
        EntryPages pages = range.pages();
        while (pages.hasNext()) {
            Entry entry = pages.next();
            if (Arrays.equals(entry.value(), wanted) && table.remove(entry.key(), wanted)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Removes the entries that pass a test, each on the condition that it still has the value that was tested. An entry that
     * got another value meanwhile stays.
     */
    boolean removeIf(Predicate<? super Map.Entry<K, V>> test) {
        requireNonNull(test);
        Table table = table();
        boolean changed = false;
        EntryPages pages = range.pages();
        while (pages.hasNext()) {
            Entry entry = pages.next();
            if (test.test(coding().entry(entry))) {
                changed |= table.remove(entry.key(), entry.value());
            }
        }
        return changed;
    }

    /** Removes the first entry of a walk, as it is found. Another one that was put before it meanwhile stays. */
    Map.@Nullable Entry<K, V> poll(boolean ahead) {
        Table table = table();
        while (true) {
            Entry first = range.first(range.walk(ahead));
            if (first == null) {
                return null;
            }
            Map.Entry<K, V> entry = coding().entry(first);
            if (table.remove(first.key(), first.value())) {
                return entry;
            }
        }
    }

    /**
     * A whole table is emptied at once. A part is emptied key by key, up to the key that is its last one when this begins: a
     * thread that puts keys ahead of this walk would keep it going. Only the last removal waits for the durability of the
     * table, and all earlier ones are durable with it.
     */
    void clear() {
        Table table = table();
        if (range.window().isAll()) {
            table.truncate();
            return;
        }
        Entry last = range.first(range.walk(false).withoutValues());
        if (last == null) {
            return;
        }
        Durability early = table.properties().flag(ENABLE_WAL) ? Durability.BUFFERED : null;
        EntryPages pages = range.part(null, new Bound(last.key(), true)).pagesOfKeys();
        while (pages.hasNext()) {
            byte[] key = pages.next().key();
            table.remove(key, pages.hasNext() ? early : null);
        }
    }

    private @Nullable V ifPresent(byte[] key, Function<V, @Nullable V> function) {
        return update(key, value -> value == null ? null : function.apply(value));
    }

    /** Returns what the function returned for the change that was made. */
    private @Nullable V update(byte[] key, Function<@Nullable V, @Nullable V> function) {
        AtomicReference<@Nullable V> last = new AtomicReference<>();
        table().update(key, present -> {
            V value = function.apply(present == null ? null : coding().value(key, present));
            last.set(value);
            return value == null ? null : coding().valueBytes(value);
        });
        return last.get();
    }
}
