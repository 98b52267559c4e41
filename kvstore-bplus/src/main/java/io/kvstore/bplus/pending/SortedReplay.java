package io.kvstore.bplus.pending;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.tree.SortedMerge;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Replay;
import java.io.IOException;
import java.util.List;

/**
 * Merges a part of the log into the tree by a {@link SortedMerge}. A value that is kept apart is added to the value store at
 * once, in the order of the log. Only keys and the values beside them wait for the merge.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>No checkpoint is made while changes are held. The state may then have some operations of the part and not others, and
 *       nothing points to some values yet. Checkpoints are started by the store, which is not open yet, and by background work,
 *       which is handed on only when a write is admitted. So nothing is admitted here.
 *   <li>The lsn of the state stays at the end of the part before until the tree has all of this part. A part may end within an
 *       operation that is too large to be held. The lsn then stays at the operation before.
 * </ol>
 */
public final class SortedReplay implements Replay {

    private final TreeParts parts;
    private final SortedMerge merge;
    private final int leastApartBytes;
    private final ChangeArena held;
    private long lastLsn;

    /** @param maxHeldBytes the most bytes that are held of one operation; a larger operation is applied in pieces */
    public SortedReplay(Tree tree, TreeParts parts, PageSupply pages, int leastApartBytes, long maxHeldBytes) {
        this.parts = parts;
        this.merge = new SortedMerge(tree, parts, pages, false);
        this.leastApartBytes = leastApartBytes;
        this.held = new ChangeArena(maxHeldBytes);
        this.lastLsn = parts.versions().now().lsn();
    }

    @Override
    public void admit(long bytes) throws IOException {
        parts.values().log().admit();
        if (parts.values().log().isFull()) {
            parts.values().log().write();
        }
    }

    @Override
    public void add(long lsn, List<Mutation> mutations) throws IOException {
        for (Mutation mutation : mutations) {
            if (held.isFull()) {
                flush();
            }
            switch (mutation) {
                case Mutation.Put put -> add(lsn, put);
                case Mutation.Remove(byte[] key) -> held.addRemoval(key, lsn);
            }
        }
        lastLsn = lsn;
    }

    private void add(long lsn, Mutation.Put put) {
        if (put.value().length < leastApartBytes) {
            held.addValue(put.key(), lsn, put.value());
            return;
        }
        try (RankedLock.Held _ = parts.putting().hold()) {
            parts.values().log().reserve(List.of(put), leastApartBytes);
            long offset = parts.values().add(put.key(), lsn, put.value());
            held.addPointer(put.key(), lsn, parts.values().log().addedTo(), offset, put.value().length);
        }
    }

    @Override
    public long heldBytes() {
        return held.heldBytes();
    }

    @Override
    public void flush() throws IOException {
        if (held.size() == 0) {
            return;
        }
        SortedChanges sorted = held.sort();
        int done = 0;
        while (done < sorted.size()) {
            done = merge.run(sorted, done);
        }
        merge.end(lastLsn);
        held.clear();
    }
}
