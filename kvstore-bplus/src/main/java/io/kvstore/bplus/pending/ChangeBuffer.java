package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.BlockedRanges;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.data.EmptySpans;
import io.kvstore.data.Mutation;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.HintCounter;
import io.kvstore.engine.MemoryRefusal;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import io.kvstore.value.ValueStore;
import io.kvstore.value.index.HashIndex;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are applied and not merged into the tree yet. A writer appends its changes to the newest layer. The memory of
 * that layer is near to the processor, and the writer touches no pages. When a layer is full, the background merges it into the
 * tree in the order of keys, while the writer goes on with the next layer.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The table is the tree, overlaid by the layers from the oldest to the newest. A get of the newest state asks the layers
 *       first, beginning with the newest, and then the tree: a change that left the layers meanwhile is in the tree. A view
 *       does so with the changes up to its lsn; {@code PointReader} and {@link WaitingView} say how.
 *   <li>A layer holds whole operations. The exception is an operation so large that it takes several layers, which count as one
 *       layer in the rules below. Only the newest layer grows, and no layer grows that may be merged. A layer keeps every
 *       change, including older changes of a key that was changed again. So it has all that a view sees, whatever comes later.
 *   <li>Layers are merged one after the other, in pieces that end where open snapshots end. To a thread that looks at a state,
 *       each piece appears as a whole: {@link TreeVersions} shows a state in between only to a thread that has the changes of
 *       the piece from here.
 *   <li>A value that is kept apart is alive from the put on. The value that it replaced, in the tree or in its layer, stays
 *       alive until the layer is in the tree.
 *   <li>The hash index is told of a change when the change is applied, and not again.
 *   <li>{@link #appliedLsn} is raised by one store when all changes of an operation are there. A reader that loads it first,
 *       and then leaves out later operations in layers and index, finds no part of a later operation: the tree gets whole
 *       operations only.
 * </ol>
 *
 * <p>Locks: {@code merging} belongs to the thread that merges layers into the tree, also over I/O. It is taken before all other
 * locks except those for long work and for checkpoints. No reader takes it. {@code putting} belongs to a writer from its
 * reservation until it has applied, and to other threads for moments. It is taken last.
 */
public final class ChangeBuffer {

    /** An idle background also merges the growing layer if it has this part of the changes of a full one. */
    private static final int WORTHWHILE_PART = 2;

    /** After this many gets that searched the layers, all waiting changes are merged, even if they are few. */
    private static final int MANY_SEARCHES = 1_000;

    /** An operation goes on in another layer when its layer has this many times the bytes that a layer should have. */
    private static final long OPERATION_PART = 4;

    private final TableContext context;
    private final Tree tree;
    private final TreeVersions versions;
    private final ValueStore values;
    private final HashIndex index;
    private final LayerMerge merge;
    private final RankedLock merging;
    private final RankedLock writing;
    private final RankedLock putting;
    private final int leastApartBytes;
    private final ChangeLayer.Sizes sizes;
    private final ChangeLayers layers;
    private final LayerRoom room;
    private final LayerBounds bounds;
    private final Set<ViewCursor> cursors = ConcurrentHashMap.newKeySet();
    private final BackgroundTask merges;
    private final AtomicLong appliedLsn;
    private final EmptySpans emptySpans;

    /** Whether the last removal that had to make room found the disk full, and no room was made since. */
    private volatile boolean isDiskFull;

    private final HintCounter searches = new HintCounter();

    private volatile boolean mergesAll;

    /**
     * Sizes that a put needs to know of the table.
     *
     * @param leastApartBytes values of at least this many bytes are kept apart
     * @param bufferBytes the most bytes that the page buffer takes
     * @param leastLayerValueBytes a layer with fewer bytes of values is not sealed because of its values
     * @param mostLayerValueBytes see {@code Slack.mostLayerBytes}
     */
    public record Sizes(
            int leastApartBytes, long bufferBytes, long leastLayerValueBytes, LongSupplier mostLayerValueBytes) {}

    public ChangeBuffer(TableContext context, Tree tree, TreeParts parts, LayerMerge merge, Sizes sizes) {
        this.context = context;
        this.tree = tree;
        this.versions = parts.versions();
        this.values = parts.values();
        this.index = parts.index().places();
        this.merge = merge;
        this.merges =
                new BackgroundTask(context.background(), context.background().waiter(), this::mergeInBackground);
        this.writing = parts.writing();
        this.putting = parts.putting();
        this.merging = parts.locks().merging();
        this.layers = new ChangeLayers(context.memory(), putting, index.keyHash());
        this.room = new LayerRoom(context, layers, this::mergeSoon, () -> merges.isRequested() || merging.isLocked());
        this.leastApartBytes = sizes.leastApartBytes;
        this.bounds = new LayerBounds(layers, merge, sizes, context.memory().mostChangesBytes());
        this.appliedLsn = new AtomicLong(versions.now().lsn());
        // from its reservation until it has applied, an operation holds the lock for putting
        this.emptySpans = new EmptySpans(() -> !putting.isLocked(), this::appliedLsn);
        this.sizes = new ChangeLayer.Sizes(leastApartBytes, OPERATION_PART * bounds.mostBytes());
    }

    /**
     * Reserves room for an operation and the memory that its changes take. The thread holds the lock for putting until
     * {@link #apply} or {@link #cancel} ends the reservation. If there is no room, nothing is reserved, and the result says
     * what is to be done before the next attempt.
     */
    public TableEngine.@Nullable Load reserve(List<Mutation> mutations) {
        putting.lock();
        boolean reserved = false;
        try {
            tree.requireWhole();
            merge.blocked().requireFree(mutations);
            if (values.log().isCongested() && !values.log().isFull()) {
                return values.log()::admit; // many writers came at once, and each was admitted while there was room
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
            emptySpans.cut(mutations); // before a change of them is applied
            reserveLayers(mutations);
            room.count();
            values.log().reserve(mutations, leastApartBytes);
            reserved = true;
            return null;
        } catch (OutOfMemoryError e) {
            return noMemory(e);
        } finally {
            if (!reserved) {
                layers.cancel();
                putting.unlock();
            }
        }
    }

    private static boolean removesOnly(List<Mutation> mutations) {
        for (int i = 0; i < mutations.size(); i++) { // runs at each put: a stream would take a tenth of the put's time
            if (mutations.get(i) instanceof Mutation.Put) {
                return false;
            }
        }
        return true;
    }

    /** Reserves memory in the growing layer. An operation that takes far more bytes than a layer should have is divided. */
    private void reserveLayers(List<Mutation> mutations) {
        ChangeLayer layer = layers.growing();
        int to = (layer == null ? layers.prepare() : layer).reserve(mutations, 0, sizes);
        while (to < mutations.size()) {
            to = layers.prepare().reserve(mutations, to, sizes);
        }
    }

    private MemoryRefusal noMemory(OutOfMemoryError cause) {
        String reason = ": there is no memory for a write; lower memoryBytes, or give the JVM more";
        return new MemoryRefusal(context.directory().concat(reason), cause);
    }

    /** Merges the oldest layers while there are too many. So writers that are faster than the background wait here. */
    private void makeRoom() throws IOException {
        try {
            merge(layer -> bounds.isCrowded(true));
            isDiskFull = false;
        } catch (OutOfMemoryError e) {
            noMemory(e).run();
        }
    }

    /** Makes room for a removal. On a full disk the removal takes the spare room of the growing layer, while there is some. */
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

    public void cancel() {
        while (putting.isHeldByCurrentThread()) {
            layers.cancel();
            putting.unlock();
        }
    }

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

    /** Lets a large operation go on in the next prepared layer. */
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
        long segment = values.log().addedTo();
        layer.addPointer(key, lsn, segment, offset, value.length);
        index.put(key, segment, offset);
    }

    /** Has all changes merged soon, because others need the memory of the growing layer, or soon will. */
    private void mergeSoon() {
        mergesAll = true;
        schedule();
    }

    /** Called before a write, without any lock. Has memory given back if changes have much of it. */
    public void admit() {
        room.admit();
    }

    private void schedule() {
        if (!merge.isStopped()) {
            merges.request();
        }
    }

    /** Merges one layer a run, so that the work of other tables has its turn; or all layers if {@link #mergesAll} is set. */
    private void mergeInBackground() {
        boolean goesOn = false;
        try {
            if (mergesAll) {
                mergesAll = false;
                mergeAll();
            }
            ChangeLayer oldest = layers.oldestEnded(true);
            merge(layer -> layer.equals(oldest));
            layers.endIfLarge(merge.mostChanges() / WORTHWHILE_PART); // only if no other layer waits
            goesOn = mergesAll || layers.oldestEnded(true) != null;
        } catch (IOException | RuntimeException e) {
            Notices.warning(
                    ChangeBuffer.class, context.directory(), "changes have to be brought into the tree again", e);
        }
        if (goesOn && !merge.isStopped()) {
            merges.requestAgain();
        }
    }

    /** Merges all changes into the tree that were applied before the call. */
    public void mergeAll() throws IOException {
        long lsn = layers.endAll();
        // layers that come meanwhile are left out: with writers that are faster than merges this would never end
        merge(layer -> layer.firstLsn() <= lsn);
    }

    /** Merges sealed layers, the oldest first, while they are wanted, and in any case to the end of an operation. */
    private void merge(Predicate<ChangeLayer> isWanted) throws IOException {
        try (RankedLock.Held _ = merging.hold()) {
            boolean isWhole = versions.isWhole();
            ChangeLayer layer = layers.oldestEnded(isWhole);
            while (layer != null && (!isWhole || isWanted.test(layer)) && merge.run(layer)) {
                layers.drop(layer);
                if (layers.count() == 0) {
                    emptySpans.forget(); // a tree has no removed keys
                }
                cursors.forEach(ViewCursor::letGo);
                context.background().waiter().signal(); // for threads that wait for memory
                isWhole = versions.isWhole();
                layer = layers.oldestEnded(isWhole);
            }
        }
    }

    public BlockedRanges blocked() {
        return merge.blocked();
    }

    /** The newest change of a key in the layers, of the operations up to {@code lsn}; or null. */
    public ChangeArena.@Nullable Found newest(byte[] key, long lsn) {
        if (layers.count() > 0) {
            noteSearch();
        }
        ChangeArena.Found found = layers.newest(key, lsn);
        merge.blocked().requireFree(key); // a range is blocked before its changes leave the layers
        return found;
    }

    private void noteSearch() {
        searches.increment();
        if (searches.get() >= MANY_SEARCHES) {
            searches.reset();
            mergesAll = true;
            schedule();
        }
    }

    /** Whether the layers have a change of the key. With the lock for putting. */
    public boolean holds(byte[] key) {
        return layers.holds(key);
    }

    List<ChangeLayer> upTo(long lsn) {
        return layers.upTo(lsn);
    }

    /** The key ranges in which nothing can be seen. */
    public EmptySpans emptySpans() {
        return emptySpans;
    }

    /** Registers a cursor. The cursor is told when a layer has gone, until {@link #remove}. */
    void add(ViewCursor cursor) {
        cursors.add(cursor);
    }

    void remove(ViewCursor cursor) {
        cursors.remove(cursor);
    }

    int dropped() {
        return layers.dropped();
    }

    public boolean isPast(long lsn) {
        return versions.isPast(lsn);
    }

    /** Begins to look at the tree as of an lsn, without the waiting changes. See {@link TreeVersions#look}. */
    public TreeVersions.Look look(long lsn) {
        return versions.look(lsn, values.nextNumber());
    }

    /** The last operation that was applied. A later change that is not in the tree is one that is being applied. */
    public long appliedLsn() {
        return appliedLsn.getAcquire();
    }

    /**
     * Does some work while the newest state of the tree is whole and has all changes that were applied before the call.
     *
     * @param work gets the bytes of the value records, by segment, that were added meanwhile and that waiting changes lead to;
     *     called with the locks for writing and putting and the monitor of the states; works in memory only
     */
    public <T> T whole(Function<Map<Long, Long>, T> work) throws IOException {
        try (RankedLock.Held _ = merging.hold()) {
            mergeAll();
            requireWhole();
            try (RankedLock.Held _ = writing.hold()) {
                synchronized (versions) {
                    try (RankedLock.Held _ = putting.hold()) {
                        return work.apply(layers.recordBytes());
                    }
                }
            }
        }
    }

    private void requireWhole() throws IOException {
        if (merge.isStopped() || !versions.isWhole()) {
            throw new IOException(context.directory() + " was closed while changes were brought into the tree");
        }
    }

    /** Lets the index become larger. The index then knows all changes that are not in the tree yet. */
    public void grow() throws IOException {
        whole(waiting -> {
            index.grow();
            layers.tell(index);
            return waiting;
        });
    }

    /** Called when all of the log is merged into the tree. */
    public void recovered() {
        appliedLsn.accumulateAndGet(versions.now().lsn(), Math::max);
    }

    public long size() {
        return layers.size();
    }

    /** Bytes of the value records that waiting changes brought, as of a moment ago. */
    public long valueBytes() {
        return layers.valueBytes();
    }

    /** Stops all merges and returns soon. The waiting changes are given up; only the log keeps them. */
    public void stop() {
        room.close();
        merge.stop();
        try (RankedLock.Held _ = merging.hold()) {
            layers.clear();
        }
    }
}
