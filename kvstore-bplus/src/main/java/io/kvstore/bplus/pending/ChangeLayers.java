package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.data.KeyHash;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.value.index.HashIndex;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The layers of a {@link ChangeBuffer}, the newest one first. Any thread finds changes in them. Everything else is done with
 * the lock for putting. The methods that threads other than writers call take that lock themselves.
 *
 * <p>A layer gets a hash table only when a thread first searches it: while nobody reads the table, a hash table would take a
 * tenth of a put's time. The oldest layer gets its hash table first, and a new layer gets one if the layer before it has one.
 * So if the newest layer has a hash table, all layers have one.
 */
final class ChangeLayers {

    private static final ChangeLayer[] NONE = {};

    private final MemoryBudget memory;
    private final RankedLock putting;
    private final KeyHash keyHash;
    private volatile ChangeLayer[] all = NONE;
    private final AtomicInteger dropped = new AtomicInteger();

    private final ArrayDeque<Prepared> prepared = new ArrayDeque<>();

    /** Whether the newest layer may grow. Changed with the lock. */
    private volatile boolean growing;

    /** The memory of a merged layer, for the next one: the garbage collector would copy new memory all the time. */
    private @Nullable ChangeArena spare;

    /** Bytes of the heap that the budget counts for these layers. */
    private long countedBytes;

    /** Bytes of the newest layer when the heap was counted last. */
    private long countedOfNewest;

    ChangeLayers(MemoryBudget memory, RankedLock putting, KeyHash keyHash) {
        this.memory = memory;
        this.keyHash = keyHash;
        this.putting = putting;
    }

    /** Counts the heap of all layers. With the lock. Returns whether it has become larger. */
    boolean countHeap() {
        if (prepared.isEmpty() && all.length > 0 && all[0].takenBytes() == countedOfNewest) {
            return false;
        }
        return countAllHeap() > 0;
    }

    private long countAllHeap() {
        long now = spare == null ? 0 : spare.takenBytes();
        for (Prepared one : prepared) {
            now += one.layer.takenBytes();
        }
        now += takenBytes();
        countedOfNewest = all.length == 0 ? 0 : all[0].takenBytes();
        long more = now - countedBytes;
        countedBytes = now;
        if (more > 0) {
            memory.take(MemoryBudget.Use.CHANGES, more);
        } else {
            memory.release(MemoryBudget.Use.CHANGES, -more);
        }
        return more;
    }

    /** Bytes of the heap that all layers take. For any thread, as of a moment ago. */
    long takenBytes() {
        long bytes = 0;
        for (ChangeLayer layer : all) {
            bytes += layer.takenBytes();
        }
        return bytes;
    }

    /** Bytes of the heap that the growing layer takes. For any thread, as of a moment ago. */
    long growingBytes() {
        ChangeLayer[] now = all;
        return growing && now.length > 0 ? now[0].takenBytes() : 0;
    }

    /** Bytes of the heap that the sealed layers take, on their way to the tree. For any thread, as of a moment ago. */
    long endedBytes() {
        return Math.max(0, takenBytes() - growingBytes());
    }

    int count() {
        return all.length;
    }

    long size() {
        return Arrays.stream(all).mapToLong(ChangeLayer::size).sum();
    }

    /** Bytes of the value records that the changes brought. For any thread, as of a moment ago. */
    long valueBytes() {
        long bytes = 0;
        for (ChangeLayer layer : all) {
            bytes += layer.valueBytes();
        }
        return bytes;
    }

    /** The layers that have an operation up to this lsn, the newest one first. For any thread. */
    List<ChangeLayer> upTo(long lsn) {
        List<ChangeLayer> found = new ArrayList<>();
        for (ChangeLayer layer : all) {
            if (layer.firstLsn() <= lsn) {
                found.add(layer);
            }
        }
        return found;
    }

    /** How many layers have gone so far. While this number stays the same, no layer goes. */
    int dropped() {
        return dropped.get();
    }

    /** The growing layer, or null. With the lock. */
    @Nullable
    ChangeLayer growing() {
        return growing ? all[0] : null;
    }

    /** A layer for {@link #add}, and the array of all layers with it. */
    private record Prepared(ChangeLayer layer, ChangeLayer[] all) {}

    /** Prepares another layer, which is to grow after those before. With the lock, until {@link #add} or {@link #cancel}. */
    ChangeLayer prepare() {
        ChangeLayer[] now = prepared.isEmpty() ? all : prepared.getLast().all;
        ChangeLayer[] more = new ChangeLayer[now.length + 1];
        System.arraycopy(now, 0, more, 1, now.length);
        more[0] = new ChangeLayer(keyHash, spare == null ? new ChangeArena(ChangeArena.MAX_BYTES) : spare);
        spare = null;
        if (now.length > 0 && now[0].isSearchable()) {
            more[0].makeSearchable(now[0].size());
        }
        prepared.add(new Prepared(more[0], more));
        return more[0];
    }

    /** Lets the layer that was prepared first grow. With the lock. */
    ChangeLayer add(long firstLsn) {
        Prepared next = prepared.remove();
        next.layer.begin(firstLsn);
        all = next.all;
        growing = true;
        return next.layer;
    }

    /** Drops the prepared layers. With the lock. */
    void cancel() {
        if (!prepared.isEmpty()) {
            prepared.clear();
            countAllHeap();
        }
    }

    /** Seals the newest layer. With the lock. */
    void end() {
        growing = false;
    }

    /** Seals all layers. Returns the last operation that is in a layer, or 0. */
    long endAll() {
        try (RankedLock.Held _ = putting.hold()) {
            growing = false;
            return all.length == 0 ? 0 : all[0].lastLsn();
        }
    }

    /** Seals the growing layer if it is the only one and has at least this many changes. */
    void endIfLarge(int changes) {
        try (RankedLock.Held _ = putting.hold()) {
            growing = growing && (all.length > 1 || all[0].size() < changes);
        }
    }

    /**
     * The oldest sealed layer, or null.
     *
     * @param isWhole whether the tree has whole operations only; if not, the next layer has the rest of an operation, and is
     *     sealed
     */
    @Nullable
    ChangeLayer oldestEnded(boolean isWhole) {
        try (RankedLock.Held _ = putting.hold()) {
            growing = growing && (isWhole || all.length > 1);
            int ended = growing ? all.length - 1 : all.length;
            return ended == 0 ? null : all[all.length - 1];
        }
    }

    void drop(ChangeLayer merged) {
        try (RankedLock.Held _ = putting.hold()) {
            dropped.incrementAndGet(); // before the memory of the layer may be given up
            all = Arrays.stream(all).filter(layer -> !layer.equals(merged)).toArray(ChangeLayer[]::new);
            // memory is kept only for a table that gets more puts, and while no other table needs it
            boolean isKept = all.length > 0 && !memory.isFullOfChanges();
            spare = isKept ? merged.giveUp() : null;
            countAllHeap();
        }
    }

    void clear() {
        try (RankedLock.Held _ = putting.hold()) {
            dropped.incrementAndGet();
            all = NONE;
            growing = false;
            spare = null;
            prepared.clear();
            countAllHeap();
        }
    }

    /** The newest change of a key, of the operations up to {@code lsn}; or null. */
    ChangeArena.@Nullable Found newest(byte[] key, long lsn) {
        ChangeLayer[] now = all;
        if (now.length > 0 && !now[0].isSearchable()) {
            try (RankedLock.Held _ = putting.hold()) {
                makeSearchable(now);
            }
        }
        long hash = now.length == 0 ? 0 : keyHash.of(key);
        for (ChangeLayer layer : now) {
            ChangeArena.Found found = layer.firstLsn() <= lsn ? layer.newest(key, hash, lsn) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static void makeSearchable(ChangeLayer[] layers) {
        for (int i = layers.length - 1; i >= 0; i--) {
            layers[i].makeSearchable(0);
        }
    }

    /** Whether a layer has a change of the key. With the lock. */
    boolean holds(byte[] key) {
        ChangeLayer[] now = all;
        makeSearchable(now);
        long hash = keyHash.of(key);
        return Arrays.stream(now).anyMatch(layer -> layer.holds(key, hash));
    }

    /** Bytes of the value records that changes lead to, by segment number. With the lock. */
    Map<Long, Long> recordBytes() {
        Map<Long, Long> bytes = new HashMap<>();
        for (ChangeLayer layer : all) {
            layer.recordBytes().forEach((segment, more) -> bytes.merge(segment, more, Long::sum));
        }
        return bytes;
    }

    /** Tells the index of the newest change of each key only, because readers trust the index. With the lock. */
    void tell(HashIndex known) {
        ChangeLayer[] now = all;
        makeSearchable(now);
        for (int i = 0; i < now.length; i++) {
            ChangeLayer[] newer = Arrays.copyOf(now, i);
            now[i].tell(known, (key, hash) -> Arrays.stream(newer).anyMatch(layer -> layer.holds(key, hash)));
        }
    }
}
