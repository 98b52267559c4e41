package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.data.KeyHash;
import io.kvstore.engine.MemoryBudget;
import io.kvstore.value.HashIndex;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The layers of a {@link ChangeBuffer}, the newest one first. Any thread finds changes in them; all else is done with the lock
 * for putting, which those methods that others than writers call take themselves.
 *
 * <p>A layer has a hash table only when somebody asks it; where nobody gets anything, it would take a tenth of a put's time.
 * The oldest layer is the first to have one, and a new layer has one if that before has: so when the newest one has, all have.
 */
final class ChangeLayers {

    private static final ChangeLayer[] NONE = {};

    private final MemoryBudget memory;
    private final ReentrantLock putting;
    private final KeyHash keyHash;
    private volatile ChangeLayer[] all = NONE;
    private final AtomicInteger dropped = new AtomicInteger();

    private final ArrayDeque<Prepared> prepared = new ArrayDeque<>();

    /** Whether the newest layer may grow; changed with the lock. */
    private volatile boolean growing;

    /** Of a layer that is in the tree, for the next one, or else the collector would copy it all the time. */
    private @Nullable ChangeArena spare;

    /** What the budget counts. */
    private long countedBytes;

    /** Of the layer that grows, when it was counted last. */
    private long countedOfNewest;

    ChangeLayers(MemoryBudget memory, ReentrantLock putting, KeyHash keyHash) {
        this.memory = memory;
        this.keyHash = keyHash;
        this.putting = putting;
    }

    /** Counts the heap that there is; with the lock. Whether it has become more. */
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

    /** The heap of all of them; for any thread, as of a moment ago. */
    long takenBytes() {
        long bytes = 0;
        for (ChangeLayer layer : all) {
            bytes += layer.takenBytes();
        }
        return bytes;
    }

    /** The heap of the layer that grows; for any thread, as of a moment ago. */
    long growingBytes() {
        ChangeLayer[] now = all;
        return growing && now.length > 0 ? now[0].takenBytes() : 0;
    }

    /** That of the others, which are on their way to the tree. */
    long endedBytes() {
        ChangeLayer[] now = all;
        long bytes = 0;
        for (int i = growing ? 1 : 0; i < now.length; i++) {
            bytes += now[i].takenBytes();
        }
        return bytes;
    }

    int count() {
        return all.length;
    }

    /** How many changes there are. */
    long size() {
        return Arrays.stream(all).mapToLong(ChangeLayer::size).sum();
    }

    /** Bytes of the records of values that the changes brought; for any thread, as of a moment ago. */
    long valueBytes() {
        long bytes = 0;
        for (ChangeLayer layer : all) {
            bytes += layer.valueBytes();
        }
        return bytes;
    }

    /** Those that have an operation up to this lsn, the newest one first; for any thread. */
    List<ChangeLayer> upTo(long lsn) {
        return Arrays.stream(all).filter(layer -> layer.firstLsn() <= lsn).toList();
    }

    /** How many layers there were that are not there any more: while it is the same, none goes. */
    int dropped() {
        return dropped.get();
    }

    /** The layer that grows, or null; with the lock. */
    @Nullable
    ChangeLayer growing() {
        return growing ? all[0] : null;
    }

    /** What {@link #add} takes: a layer, and all layers with it. */
    private record Prepared(ChangeLayer layer, ChangeLayer[] all) {}

    /** Has another layer at hand, to grow after those before; with the lock, until {@link #add} or {@link #cancel}. */
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

    /** The layer that was prepared first grows now; with the lock. */
    ChangeLayer add(long firstLsn) {
        Prepared next = prepared.remove();
        next.layer.begin(firstLsn);
        all = next.all;
        growing = true;
        return next.layer;
    }

    /** What was prepared is not needed; with the lock. */
    void cancel() {
        if (!prepared.isEmpty()) {
            prepared.clear();
            countAllHeap();
        }
    }

    /** The newest layer grows no more; with the lock. */
    void end() {
        growing = false;
    }

    /** What is there grows no more; returns the last operation that is in a layer, or 0. */
    long endAll() {
        putting.lock();
        try {
            growing = false;
            return lastLsn();
        } finally {
            putting.unlock();
        }
    }

    /** The last operation that is in a layer, or 0. */
    long lastLsn() {
        putting.lock();
        try {
            return all.length == 0 ? 0 : all[0].lastLsn();
        } finally {
            putting.unlock();
        }
    }

    /** The only layer grows no more if it has so many changes. */
    void endIfLarge(int changes) {
        putting.lock();
        try {
            growing = growing && (all.length > 1 || all[0].size() < changes);
        } finally {
            putting.unlock();
        }
    }

    /**
     * The oldest layer that does not grow.
     *
     * @param isWhole whether the tree has whole operations only; or else the next layer has the end of one, and grows no more
     */
    @Nullable
    ChangeLayer oldestEnded(boolean isWhole) {
        putting.lock();
        try {
            growing = growing && (isWhole || all.length > 1);
            int ended = growing ? all.length - 1 : all.length;
            return ended == 0 ? null : all[all.length - 1];
        } finally {
            putting.unlock();
        }
    }

    /** A layer is in the tree. */
    void drop(ChangeLayer merged) {
        putting.lock();
        try {
            dropped.incrementAndGet(); // before its memory may be given up
            all = Arrays.stream(all).filter(layer -> !layer.equals(merged)).toArray(ChangeLayer[]::new);
            // no memory for who does not put any more, or where others need it
            boolean isKept = all.length > 0 && !memory.isFullOfChanges();
            spare = isKept ? merged.giveUp() : null;
            countAllHeap();
        } finally {
            putting.unlock();
        }
    }

    /** Forgets all of them. */
    void clear() {
        putting.lock();
        try {
            dropped.incrementAndGet();
            all = NONE;
            growing = false;
            spare = null;
            prepared.clear();
            countAllHeap();
        } finally {
            putting.unlock();
        }
    }

    /** The newest change of a key that is not after an operation, or null. */
    ChangeArena.@Nullable Found newest(byte[] key, long lsn) {
        ChangeLayer[] now = all;
        if (now.length > 0 && !now[0].isSearchable()) {
            putting.lock();
            try {
                makeSearchable(now);
            } finally {
                putting.unlock();
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

    /** Whether there is a change of a key; with the lock. */
    boolean holds(byte[] key) {
        ChangeLayer[] now = all;
        makeSearchable(now);
        long hash = keyHash.of(key);
        return Arrays.stream(now).anyMatch(layer -> layer.holds(key, hash));
    }

    /** Bytes of the records of values that changes lead to, by number of the segment; with the lock. */
    Map<Long, Long> recordBytes() {
        Map<Long, Long> bytes = new HashMap<>();
        for (ChangeLayer layer : all) {
            layer.recordBytes().forEach((segment, more) -> bytes.merge(segment, more, Long::sum));
        }
        return bytes;
    }

    /**
     * Tells the index of the newest change of each key, and of no older one, which a reader would take for the newest; with the
     * lock.
     */
    void tell(HashIndex known) {
        ChangeLayer[] now = all;
        for (int i = now.length - 1; i >= 0; i--) {
            now[i].makeSearchable(0);
        }
        for (int i = 0; i < now.length; i++) {
            ChangeLayer[] newer = Arrays.copyOf(now, i);
            now[i].tell(known, (key, hash) -> Arrays.stream(newer).anyMatch(layer -> layer.holds(key, hash)));
        }
    }
}
