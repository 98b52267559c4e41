package io.kvstore.views;

import static java.util.Objects.requireNonNull;

import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineStats;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.views.KeyWindow.Bound;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table as a {@link ConcurrentNavigableMap} of Java types.
 *
 * <pre>{@code
 * TableMap<String, Long> visits = TableMap.of(store.table("site", "visits"), Codecs.STRING, Codecs.LONG);
 * visits.merge("/index.html", 1L, Long::sum);
 * visits.tailMap("/news/").forEach((page, count) -> System.out.println(page + " " + count));
 * }</pre>
 *
 * <p>A map is a view. It holds nothing of its own, needs no closing, and follows its table through a truncate. It shows at once
 * what other maps and direct calls of the table have changed. Safe for use by any number of threads.
 *
 * <p><b>Sub-maps, descending maps and sets of keys</b> are views of the same kind. A sub-map takes keys of its range only, and
 * refuses others with {@link IllegalArgumentException}.
 *
 * <p><b>Atomicity.</b> Each change of one key is atomic. {@code putIfAbsent}, {@code replace} and {@code remove(key, value)}
 * have their condition checked as they are applied. {@code removeIf} of entries and of values removes an entry only while it
 * has the value that was tested. {@code compute}, {@code computeIfPresent}, {@code merge} and {@code replaceAll} have one
 * effect at most for a key; the function runs again when another change of the key came between, and may use the store.
 * {@code computeIfAbsent} runs its function once at most. Conditions compare the bytes of values, not the objects. What
 * changes several keys, such as {@code putAll}, does so one after the other.
 *
 * <p><b>Iterators</b> of the map and its sets are weakly consistent. They read pages of 16 entries at first and 1,024 at most,
 * and show what happens behind their page, unless it is the last one. They keep nothing open, so they need no closing.
 * {@code remove} and {@link java.util.Map.Entry#setValue setValue} write to the table. To see one moment, use {@link #stream},
 * or {@link #at} with a snapshot.
 *
 * <p><b>Cost.</b> {@code size} counts the entries as {@link Table#count} does: by leaves in a {@code BPLUS} table, one by one
 * in others. {@code isEmpty} and {@code firstKey} look at one. {@code equals}, {@code hashCode} and {@code containsValue} read
 * the whole map. {@code toString} prints ten entries. {@code put} and {@code remove} return the old value, which {@link #set}
 * does not read.
 *
 * <p><b>Errors.</b> Null as key or value is a {@link NullPointerException}. A value that its codec
 * refuses to encode changes nothing. Stored bytes that a codec cannot decode are an
 * {@link io.kvstore.error.InvalidRequestException} that names table and key, and nothing was changed. {@code put} and
 * {@code remove} have done their work when the old value cannot be decoded, and say so by
 * {@link io.kvstore.error.OutcomeUnknownException}; {@link #set} and the set of keys do not look at it. An iterator fails once
 * at such an entry and goes on behind it. It does so, too, where a stored value is damaged, which is a
 * {@link io.kvstore.error.CorruptionException}; where keys are damaged, the iterator fails once and ends. After the store was
 * closed or the table dropped, whatever reads or writes throws {@link io.kvstore.error.StoreClosedException} or
 * {@link io.kvstore.error.TableDroppedException}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class TableMap<K, V> extends AbstractMap<K, V> implements ConcurrentNavigableMap<K, V> {

    private final EntryRange<K, V> range;
    private final EntryChanges<K, V> changes;

    private TableMap(EntryRange<K, V> range) {
        this.range = range;
        this.changes = new EntryChanges<>(range);
    }

    /**
     * A table as a map.
     *
     * @param keys the codec that all keys of the table were written with
     * @param values the codec that all values were written with; its order does not matter
     * @throws InvalidRequestException if the codec of the keys has no order, or the table keeps no order of keys
     */
    public static <K, V> TableMap<K, V> of(Table table, Codec<K> keys, Codec<V> values) {
        if (!table.isOrdered()) {
            throw new InvalidRequestException("table " + table.database() + "." + table.name() + " is a "
                    + table.engineName() + " table, which has no order of keys, and a map needs one: use LSM or BPLUS");
        }
        if (keys.order() == null) {
            throw new InvalidRequestException("the codec for the keys of table " + table.database() + "." + table.name()
                    + " has no order; give one whose order() is that of its bytes");
        }
        return new TableMap<>(new EntryRange<>(
                new EntrySource.Now(table), new Coding<>(table, keys, requireNonNull(values)), KeyWindow.ALL));
    }

    EntryRange<K, V> range() {
        return range;
    }

    EntryChanges<K, V> changes() {
        return changes;
    }

    /**
     * These entries as a snapshot sees them. Every change throws {@link UnsupportedOperationException}. Once the snapshot is
     * closed, every read throws {@link io.kvstore.error.StoreClosedException}.
     */
    public TableMap<K, V> at(Snapshot snapshot) {
        return new TableMap<>(range.at(requireNonNull(snapshot)));
    }

    /**
     * All entries of one moment, in order. The stream must be closed, because it keeps that moment; use try-with-resources. The
     * entries cannot be changed.
     */
    public Stream<Map.Entry<K, V>> stream() {
        return CursorSpliterator.stream(range);
    }

    /**
     * About how many entries the table has now, as its engine keeps count of anyway. It is the figure of the whole table,
     * whatever range or moment this map shows.
     */
    public long sizeEstimate() {
        EngineStats figures = range.source().table().stats().engine();
        return figures == null ? range.count() : figures.entries();
    }

    // Reading

    /** The number of entries, counted; {@link Integer#MAX_VALUE} if there are more. */
    @Override
    public int size() {
        return range.size();
    }

    @Override
    public boolean isEmpty() {
        return range.isEmpty();
    }

    @Override
    public @Nullable V get(Object key) {
        byte[] bytes = range.coding().keyBytes(key);
        byte[] value = range.get(bytes);
        return value == null ? null : range.coding().value(bytes, value);
    }

    @Override
    public @Nullable V getOrDefault(Object key, @Nullable V other) {
        V value = get(key);
        return value == null ? other : value;
    }

    @Override
    public boolean containsKey(Object key) {
        return range.contains(range.coding().keyBytes(key));
    }

    /** Whether a value has the bytes of the given one. Reads entries until it finds one. */
    @Override
    public boolean containsValue(Object value) {
        byte[] wanted = range.coding().valueBytes(value);
        EntryPages pages = range.pages();
        while (pages.hasNext()) {
            if (Arrays.equals(pages.next().value(), wanted)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> action) {
        requireNonNull(action);
        range.entries().forEachRemaining(entry -> action.accept(entry.getKey(), entry.getValue()));
    }

    // Changes

    /** Sets a value without reading the one that was there: half the cost of {@link #put}. */
    public void set(K key, V value) {
        changes.set(key, value);
    }

    @Override
    public @Nullable V put(K key, V value) {
        return changes.put(key, value);
    }

    /** Sets each value, one after the other. */
    @Override
    public void putAll(Map<? extends K, ? extends V> given) {
        given.forEach(this::set);
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        return changes.putIfAbsent(key, value);
    }

    @Override
    public @Nullable V remove(Object key) {
        return changes.remove(key);
    }

    @Override
    public boolean remove(Object key, Object value) {
        return changes.remove(key, value);
    }

    @Override
    public @Nullable V replace(K key, V value) {
        return changes.replace(key, value);
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        return changes.replace(key, expected, value);
    }

    @Override
    public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
        changes.replaceAll(function);
    }

    @Override
    public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
        return changes.computeIfAbsent(key, function);
    }

    @Override
    public @Nullable V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
        return changes.computeIfPresent(key, function);
    }

    @Override
    public @Nullable V compute(K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
        return changes.compute(key, function);
    }

    @Override
    public @Nullable V merge(K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
        return changes.merge(key, value, function);
    }

    /**
     * Removes all entries: those of a whole table at once, as {@link Table#truncate} does, those of a sub-map key by key.
     * Entries that other threads put behind the last key of the sub-map meanwhile stay.
     */
    @Override
    public void clear() {
        changes.clear();
    }

    // Order

    /** The order of the keys; null if it is their natural order. */
    @Override
    public @Nullable Comparator<? super K> comparator() {
        Comparator<? super K> order = range.coding().keys().order();
        Comparator<? super K> ofCodec = Comparator.naturalOrder().equals(order) ? null : order;
        return range.window().isDescending() ? Collections.reverseOrder(ofCodec) : ofCodec;
    }

    @Override
    public K firstKey() {
        return existing(range.firstKey(range.walk(true)));
    }

    @Override
    public K lastKey() {
        return existing(range.firstKey(range.walk(false)));
    }

    private K existing(@Nullable K key) {
        if (key == null) {
            throw new NoSuchElementException("the map is empty");
        }
        return key;
    }

    @Override
    public Map.@Nullable Entry<K, V> firstEntry() {
        return range.firstEntry(range.walk(true));
    }

    @Override
    public Map.@Nullable Entry<K, V> lastEntry() {
        return range.firstEntry(range.walk(false));
    }

    @Override
    public Map.@Nullable Entry<K, V> pollFirstEntry() {
        return changes.poll(true);
    }

    @Override
    public Map.@Nullable Entry<K, V> pollLastEntry() {
        return changes.poll(false);
    }

    @Override
    public @Nullable K lowerKey(K key) {
        return range.firstKey(beside(key, false, false));
    }

    @Override
    public @Nullable K floorKey(K key) {
        return range.firstKey(beside(key, true, false));
    }

    @Override
    public @Nullable K ceilingKey(K key) {
        return range.firstKey(beside(key, true, true));
    }

    @Override
    public @Nullable K higherKey(K key) {
        return range.firstKey(beside(key, false, true));
    }

    @Override
    public Map.@Nullable Entry<K, V> lowerEntry(K key) {
        return range.firstEntry(beside(key, false, false));
    }

    @Override
    public Map.@Nullable Entry<K, V> floorEntry(K key) {
        return range.firstEntry(beside(key, true, false));
    }

    @Override
    public Map.@Nullable Entry<K, V> ceilingEntry(K key) {
        return range.firstEntry(beside(key, true, true));
    }

    @Override
    public Map.@Nullable Entry<K, V> higherEntry(K key) {
        return range.firstEntry(beside(key, false, true));
    }

    private @Nullable KeyRange beside(K key, boolean inclusive, boolean ahead) {
        return range.window().beside(range.coding().keyBytes(key), inclusive, ahead);
    }

    // Views of this view

    @Override
    public TableMap<K, V> descendingMap() {
        return new TableMap<>(range.reversed());
    }

    @Override
    public TableMap<K, V> subMap(K from, boolean fromInclusive, K to, boolean toInclusive) {
        return part(bound(from, fromInclusive), bound(to, toInclusive));
    }

    @Override
    public TableMap<K, V> headMap(K to, boolean inclusive) {
        return part(null, bound(to, inclusive));
    }

    @Override
    public TableMap<K, V> tailMap(K from, boolean inclusive) {
        return part(bound(from, inclusive), null);
    }

    @Override
    public TableMap<K, V> subMap(K from, K to) {
        return subMap(from, true, to, false);
    }

    @Override
    public TableMap<K, V> headMap(K to) {
        return headMap(to, false);
    }

    @Override
    public TableMap<K, V> tailMap(K from) {
        return tailMap(from, true);
    }

    private Bound bound(K key, boolean inclusive) {
        return new Bound(range.coding().keyBytes(key), inclusive);
    }

    private TableMap<K, V> part(@Nullable Bound from, @Nullable Bound to) {
        return new TableMap<>(range.part(from, to));
    }

    @Override
    public NavigableSet<K> keySet() {
        return navigableKeySet();
    }

    @Override
    public NavigableSet<K> navigableKeySet() {
        return new MapKeys<>(this);
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return descendingMap().navigableKeySet();
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new MapEntries<>(this);
    }

    @Override
    public Collection<V> values() {
        return new MapValues<>(this);
    }

    /** The first ten entries, and how many there are if that is not all. */
    @Override
    public String toString() {
        return range.print("{", range.entries(), "}");
    }
}
