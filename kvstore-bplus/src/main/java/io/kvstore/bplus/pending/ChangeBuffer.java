package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.BlockedRanges;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeReader;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.data.Mutation;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Notices;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What was applied and is not in the tree yet. A writer adds its changes to the newest layer, whose memory is near to the
 * processor, and knows nothing of pages; when a layer is full, the background brings it into the tree in the order of keys,
 * while the writer goes on with the next one.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The table is what the tree says, then the layers from the oldest to the newest. A get of the newest state asks the
 *       layers first, the newest one first, and then the tree: what left the layers meanwhile is in the tree. A view does the
 *       same with changes up to its lsn; {@link TreeReader} and {@link WaitingView} say how.
 *   <li>A layer holds whole operations, but for one that is so large that it takes several layers, which count as one for what
 *       follows. Only the newest layer grows, and none that may be merged. A layer has all changes, also those of keys that
 *       were changed again; so what a view sees is in it, whatever comes later.
 *   <li>Layers go to the tree one after the other, in pieces that end where open snapshots end, each as a whole for who looks
 *       at a state: {@link TreeVersions} has none that is in between but for who has the piece's changes from here.
 *   <li>A value that is kept apart is alive from the put on. What it replaced in the tree or in its layer is alive until the
 *       layer is in the tree.
 *   <li>The hash index is told of a change when it is applied, and not again.
 *   <li>{@link #appliedLsn} is raised when all of an operation is there, by one store. Who has read it before it looks finds no
 *       part of a later operation, if it leaves out what layers and index have of those: whole operations go to the tree.
 * </ol>
 *
 * <p>Locks: {@code merging} belongs to the one who brings layers into the tree, also over I/O, and is taken before all others
 * but that for long work; nobody who looks at something takes it. {@code putting} belongs to a writer from its reservation
 * until it has applied, and to others for moments; it is taken last.
 */
public final class ChangeBuffer {

    /** Of a full layer so much is merged when nothing else is to be. */
    private static final int WORTHWHILE_PART = 2;

    /** Gets that had to search before what waits is brought into the tree, though it is little. */
    private static final int MANY_SEARCHES = 1_000;

    /** An operation that takes so many times what a layer should have is divided. */
    private static final long OPERATION_PART = 4;

    private final TableContext context;
    private final Tree tree;
    private final TreeVersions versions;
    private final ValueStore values;
    private final HashIndex index;
    private final LayerMerge merge;
    private final ReentrantLock merging = new ReentrantLock();
    private final ReentrantLock writing;
    private final ReentrantLock putting;
    private final int leastApartBytes;
    private final ChangeLayer.Sizes sizes;
    private final ChangeLayers layers;
    private final LayerRoom room;
    private final LayerBounds bounds;
    private final Set<ViewCursor> cursors = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicLong appliedLsn;

    /** Whether the last writer that had to make room found none on the disk. */
    private volatile boolean isDiskFull;

    /** Changed by readers without a lock: a hint, some are lost. */
    private int searches;

    /** Whether all that waits is to be brought into the tree. */
    private volatile boolean mergesAll;

    /**
     * What a put needs to know of the table.
     *
     * @param leastApartBytes values of so many bytes or more are kept apart
     * @param bufferBytes the most that the page buffer takes
     * @param leastLayerValueBytes a layer does not end because of values before it brought so many bytes of them
     * @param mostLayerValueBytes see {@code Space.mostLayerBytes}
     */
    public record Sizes(
            int leastApartBytes, long bufferBytes, long leastLayerValueBytes, LongSupplier mostLayerValueBytes) {}

    public ChangeBuffer(TableContext context, Tree tree, TreeParts parts, LayerMerge merge, Sizes sizes) {
        this.context = context;
        this.tree = tree;
        this.versions = parts.versions();
        this.values = parts.values();
        this.index = parts.index();
        this.merge = merge;
        this.writing = parts.writing();
        this.putting = parts.putting();
        this.layers = new ChangeLayers(context.memory(), putting, index.keyHash());
        this.room = new LayerRoom(context, layers, this::mergeSoon, () -> scheduled.get() || merging.isLocked());
        this.leastApartBytes = sizes.leastApartBytes;
        this.bounds = new LayerBounds(layers, merge, sizes, context.memory().mostChangesBytes());
        this.appliedLsn = new AtomicLong(versions.now().lsn());
        this.sizes = new ChangeLayer.Sizes(leastApartBytes, OPERATION_PART * bounds.mostBytes());
    }

    /**
     * Has room for an operation and the memory that its changes take, until {@link #apply} or {@link #cancel} ends it; else
     * says what is to be done before.
     */
    public TableEngine.@Nullable Load reserve(List<Mutation> mutations) {
        putting.lock();
        boolean reserved = false;
        try {
            tree.requireWhole();
            merge.blocked().requireFree(mutations);
            if (values.isCongested() && !values.isFull()) {
                return values::admit; // many came at a time, each when there was room
            }
            boolean removesOnly = removesOnly(mutations);
            boolean goesOn = removesOnly && isDiskFull && bounds.hasSpare();
            boolean isFull = !goesOn && bounds.isFull(removesOnly);
            if (!goesOn && bounds.isCrowded(isFull)) {
                return removesOnly ? this::makeRoomToRemove : this::makeRoom;
            }
            if (!goesOn && room.isFull()) {
                return room::await;
            }
            if (isFull) {
                layers.end();
                schedule();
            }
            reserveLayers(mutations);
            room.count();
            values.reserve(mutations, leastApartBytes);
            reserved = true;
            return null;
        } catch (OutOfMemoryError e) {
            return () -> {
                throw noMemory(e);
            };
        } finally {
            if (!reserved) {
                layers.cancel();
                putting.unlock();
            }
        }
    }

    private static boolean removesOnly(List<Mutation> mutations) {
        for (int i = 0; i < mutations.size(); i++) { // once a put: a stream takes a tenth of its time
            if (mutations.get(i) instanceof Mutation.Put) {
                return false;
            }
        }
        return true;
    }

    /** An operation that takes far more than a layer should have is divided. */
    private void reserveLayers(List<Mutation> mutations) {
        ChangeLayer layer = layers.growing();
        int to = (layer == null ? layers.prepare() : layer).reserve(mutations, 0, sizes);
        while (to < mutations.size()) {
            to = layers.prepare().reserve(mutations, to, sizes);
        }
    }

    private OverloadedException noMemory(OutOfMemoryError cause) {
        return new OverloadedException(
                context.directory() + ": there is no memory for a write; lower memoryBytes, or give the JVM more",
                cause);
    }

    /** Writers that are faster than what brings their changes into the tree wait until one of them has room. */
    private void makeRoom() throws IOException {
        try {
            merge(layer -> bounds.isCrowded(true));
            isDiskFull = false;
        } catch (OutOfMemoryError e) {
            throw noMemory(e);
        }
    }

    /**
     * The same for a removal. Where the disk is full, it takes of what layers have to spare for that, as long as there is
     * some.
     */
    private void makeRoomToRemove() throws IOException {
        try {
            makeRoom();
        } catch (NoSpaceException e) {
            if (!bounds.hasSpare()) {
                throw e;
            }
            isDiskFull = true;
        }
    }

    /** Gives back what the thread still has. */
    public void cancel() {
        while (putting.isHeldByCurrentThread()) {
            layers.cancel();
            putting.unlock();
        }
    }

    /** Applies an operation, in the memory that was reserved. */
    public void apply(long lsn, List<Mutation> mutations) {
        try {
            ChangeLayer layer = layerFor(lsn);
            index.begin(lsn);
            for (int i = 0; i < mutations.size(); i++) {
                layer = layer.isEnough(sizes.mostBytes()) ? goOn(layer, lsn) : layer;
                if (mutations.get(i) instanceof Mutation.Put put) {
                    put(layer, lsn, put.key(), put.value());
                } else {
                    byte[] key = mutations.get(i).key();
                    layer.addRemoval(key, lsn);
                    index.forget(key);
                }
            }
            layer.applied(lsn);
            appliedLsn.setRelease(lsn);
        } catch (Throwable e) {
            tree.tear(e);
            throw e;
        } finally {
            putting.unlock();
        }
    }

    private ChangeLayer layerFor(long lsn) {
        ChangeLayer layer = layers.growing();
        return layer != null ? layer : layers.add(lsn);
    }

    /** A large operation ends in another layer than the one it begins in. */
    private ChangeLayer goOn(ChangeLayer layer, long lsn) {
        layer.goesOn(lsn);
        return layers.add(lsn);
    }

    private void put(ChangeLayer layer, long lsn, byte[] key, byte[] value) {
        if (value.length < leastApartBytes) {
            layer.addValue(key, lsn, value);
            index.forget(key);
            return;
        }
        long offset = values.add(key, lsn, value);
        long segment = values.addedTo();
        layer.addPointer(key, lsn, segment, offset, value.length);
        index.put(key, segment, offset);
    }

    /** Others need the memory of the layer that grows, or soon will. */
    private void mergeSoon() {
        mergesAll = true;
        schedule();
    }

    /** Before a write, without any lock: has memory given back where changes have much of it. */
    public void admit() {
        room.admit();
    }

    private void schedule() {
        if (!merge.isStopped()) {
            context.background().executeOnce(scheduled, this::mergeInBackground);
        }
    }

    /** One layer at a time, so that the work of other tables has its turn. */
    private void mergeInBackground() {
        boolean goesOn = false;
        try {
            if (mergesAll) {
                mergesAll = false;
                mergeAll();
            }
            ChangeLayer oldest = layers.oldestEnded(true);
            merge(layer -> layer.equals(oldest));
            layers.endIfLarge(merge.mostChanges() / WORTHWHILE_PART); // there is nothing else to be done
            goesOn = mergesAll || layers.oldestEnded(true) != null;
        } catch (IOException | RuntimeException e) {
            Notices.warning(
                    ChangeBuffer.class, context.directory(), "changes have to be brought into the tree again", e);
        } finally {
            scheduled.set(false);
        }
        if (goesOn) {
            schedule();
        }
    }

    /** Brings into the tree what was applied before. */
    public void mergeAll() throws IOException {
        long lsn = layers.endAll();
        // not what comes meanwhile: of writers that are faster than merges there would be no end
        merge(layer -> layer.firstLsn() <= lsn);
    }

    /**
     * Brings layers that do not grow any more into the tree, the oldest first, while they are wanted; and to its end an
     * operation that takes several.
     */
    private void merge(Predicate<ChangeLayer> isWanted) throws IOException {
        merging.lock();
        try {
            boolean isWhole = versions.isWhole();
            ChangeLayer layer = layers.oldestEnded(isWhole);
            while (layer != null && (!isWhole || isWanted.test(layer)) && merge.run(layer)) {
                layers.drop(layer);
                cursors.forEach(ViewCursor::letGo);
                context.background().waiter().signal(); // for who waits for memory
                isWhole = versions.isWhole();
                layer = layers.oldestEnded(isWhole);
            }
        } finally {
            merging.unlock();
        }
    }

    /** Where changes are missing that were acknowledged. */
    public BlockedRanges blocked() {
        return merge.blocked();
    }

    /** The newest change of a key, of those that are not after an operation, that is not in the tree yet; or null. */
    public ChangeArena.@Nullable Found newest(byte[] key, long lsn) {
        if (layers.count() > 0) {
            noteSearch();
        }
        ChangeArena.Found found = layers.newest(key, lsn);
        merge.blocked().requireFree(key); // which was blocked before it left the layers
        return found;
    }

    private void noteSearch() {
        searches++;
        if (searches >= MANY_SEARCHES) {
            searches = 0;
            mergesAll = true;
            schedule();
        }
    }

    /** Whether a change of the key is not in the tree yet; with the lock for putting. */
    public boolean holds(byte[] key) {
        return layers.holds(key);
    }

    /** Those that wait and have an operation up to this lsn, the newest one first. */
    List<ChangeLayer> upTo(long lsn) {
        return layers.upTo(lsn);
    }

    /** It is told when a layer has gone, until {@link #remove}. */
    void add(ViewCursor cursor) {
        cursors.add(cursor);
    }

    void remove(ViewCursor cursor) {
        cursors.remove(cursor);
    }

    /** See {@link ChangeLayers#dropped}. */
    int dropped() {
        return layers.dropped();
    }

    /** See {@link TreeVersions#isPast}. */
    public boolean isPast(long lsn) {
        return versions.isPast(lsn);
    }

    /** Begins to look at the tree as of an lsn, but for what waits; see {@link TreeVersions#look}. */
    public TreeVersions.Look look(long lsn) {
        return versions.look(lsn, values.nextNumber());
    }

    /** The last operation that was applied; what is of later ones is of one that is being applied, if it is not in the tree. */
    public long appliedLsn() {
        return appliedLsn.getAcquire();
    }

    /**
     * Does something while the newest state of the tree is whole and has all that was applied before.
     *
     * @param work gets the bytes of value records that changes lead to which were applied meanwhile, by segment; with the locks
     *     for writing and putting and that of the states; in memory only
     */
    public <T> T whole(Function<Map<Long, Long>, T> work) throws IOException {
        merging.lock();
        try {
            mergeAll();
            requireWhole();
            writing.lock();
            try {
                synchronized (versions) {
                    putting.lock();
                    try {
                        return work.apply(layers.recordBytes());
                    } finally {
                        putting.unlock();
                    }
                }
            } finally {
                writing.unlock();
            }
        } finally {
            merging.unlock();
        }
    }

    private void requireWhole() throws IOException {
        if (merge.isStopped() || !versions.isWhole()) {
            throw new IOException(context.directory() + " was closed while changes were brought into the tree");
        }
    }

    /** Lets the index become larger; it then knows all that is not in the tree yet. */
    public void grow(HashIndex larger) throws IOException {
        whole(waiting -> {
            larger.grow();
            layers.tell(larger);
            return waiting;
        });
    }

    /** All of the log was brought into the tree. */
    public void recovered() {
        appliedLsn.accumulateAndGet(versions.now().lsn(), Math::max);
    }

    /** How many changes wait. */
    public long size() {
        return layers.size();
    }

    /** Bytes of the records of values that waiting changes brought, as of a moment ago. */
    public long valueBytes() {
        return layers.valueBytes();
    }

    /** The last operation that was applied, if it is not in the tree; else 0. */
    public long lastLsn() {
        return layers.lastLsn();
    }

    /** Returns soon; what waits is given up, to all but the log. */
    public void stop() {
        room.close();
        merge.stop();
        merging.lock();
        try {
            layers.clear();
        } finally {
            merging.unlock();
        }
    }
}
