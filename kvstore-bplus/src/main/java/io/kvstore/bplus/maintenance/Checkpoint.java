package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.file.PageStore;
import io.kvstore.bplus.file.Superblock;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a state of the tree to the file while writers go on.
 *
 * <p>A checkpoint looks at the newest state, which freezes it: no page of it changes any more, so its pages can be written one
 * by one, at any time. Only pages that changed since the checkpoint before are looked for. When the last of them is in the
 * file, the values that the state points to are written and synced, and the log is made durable up to the lsn of the state.
 * Then the superblock makes the state count. Then the places of replaced pages are free.
 */
public final class Checkpoint {

    private final PageStore pageStore;
    private final TreeParts parts;
    private final DurabilityBarrier barrier;

    public Checkpoint(PageStore pageStore, TreeParts parts, DurabilityBarrier barrier) {
        this.pageStore = pageStore;
        this.parts = parts;
        this.barrier = barrier;
    }

    /**
     * Makes the state durable that has all changes that were applied before the call. One caller at a time.
     *
     * @param packs whether pages move to the front, so that the file has no more places than it needs; see
     *     {@link PageStore#packs}
     */
    public void run(ChangeBuffer changes, boolean packs) throws IOException {
        pageStore.packs(packs);
        Captured captured = changes.whole(waitingBytes -> {
            changes.blocked().requireNone(); // the log must keep the changes that the tree lacks
            return capture(waitingBytes);
        });
        try (TreeVersions.Look look = captured.look) {
            write(look.state(), captured.touched, captured.live, captured.segments);
        }
    }

    private record Captured(TreeVersions.Look look, ValueSegmentList segments, BitSet live, BitSet touched) {}

    private Captured capture(Map<Long, Long> waitingBytes) {
        ValueSegmentList segments = parts.values().capture(waitingBytes);
        BitSet live = parts.ids().liveIds();
        TreeVersions.Look look = parts.versions().lookForCheckpoint();
        // last: if a step before fails, these ids are left for the next checkpoint
        return new Captured(look, segments, live, parts.ids().takeTouched());
    }

    /** Lets pages count as changed that lie so far behind that the file could be much shorter. */
    private void addFar(BitSet touched, BitSet live) {
        for (int id = live.nextSetBit(0); id >= 0; id = live.nextSetBit(id + 1)) {
            if (pageStore.isFar(pageStore.location(id))) {
                touched.set(id);
            }
        }
    }

    private void write(TreeVersions.State state, BitSet touched, BitSet live, ValueSegmentList segments)
            throws IOException {
        Map<Long, Long> before = new HashMap<>();
        boolean committed = false;
        ValueStore.@Nullable Leases leases = null;
        long sequence = pageStore.newest().sequence();
        try {
            addFar(touched, live);
            for (int id = touched.nextSetBit(0); id >= 0; id = touched.nextSetBit(id + 1)) {
                long location = live.get(id) ? placeOf(id) : 0;
                if (location != pageStore.location(id)) {
                    before.put((long) id, pageStore.location(id));
                    pageStore.set(id, location);
                }
            }
            parts.values().persist(segments);
            leases = parts.values().lease(segments);
            Superblock wanted =
                    new Superblock(1, state.lsn(), state.rootId(), parts.ids().next(), state.entries(), 0, List.of());
            pageStore.commit(wanted, segments.toBytes(), () -> barrier.beforeCommitPoint(state.lsn()));
            committed = true;
            parts.values().committed(leases); // first, because a step after it may fail
        } finally {
            if (!committed) {
                giveUp(leases, sequence);
                before.forEach(pageStore::set);
                parts.ids().touchAgain(touched);
            }
        }
        for (long id : before.keySet()) {
            long replaced = parts.ids().setDurable(id, pageStore.location(id));
            if (replaced != 0) {
                pageStore.pages().free(replaced);
            }
        }
        pageStore.truncate();
    }

    /** A superblock that is durable, or may be so, keeps its segments. */
    private void giveUp(ValueStore.@Nullable Leases leases, long sequenceBefore) {
        if (leases != null && !pageStore.hasFailed() && pageStore.newest().sequence() == sequenceBefore) {
            parts.values().giveUp(leases);
        }
    }

    private long placeOf(long id) throws IOException {
        long location = parts.buffer().persist(id);
        if (location == 0) {
            throw new IllegalStateException("page " + id + " of a checkpoint is not there");
        }
        return pageStore.isFar(location) ? parts.buffer().move(id, location) : location;
    }
}
