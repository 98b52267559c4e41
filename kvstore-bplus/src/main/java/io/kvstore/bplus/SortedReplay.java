package io.kvstore.bplus;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Replay;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings a part of the log into the tree in the order of keys: what many changes need of a leaf is found, copied and split once
 * for all of them, and of the changes of one key only the newest is made. Values that are kept apart are kept at once, in the
 * order of the log; only keys and what is not kept apart wait for their turn.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>No checkpoint is made while something is held, for the state has some operations of the part and not others, and
 *       values that nothing points to yet. Checkpoints are asked for by the store, which is not open yet, and by background
 *       work, which only admitting a write hands on: so nothing is admitted here.
 *   <li>The state's lsn stays at the end of the part before until all of the part is there. A part may end within an operation
 *       that is too large to be held; then it stays at the operation before.
 * </ol>
 */
final class SortedReplay implements Replay {

    private final Tree tree;
    private final TreeParts parts;
    private final Relocation.Pages pages;
    private final ReentrantLock writing;
    private final int leastApartBytes;
    private final LoggedChanges held;
    private long lastLsn;

    /** @param maxHeldBytes what is held of one operation; an operation that takes more is applied in pieces */
    SortedReplay(Tree tree, TreeParts parts, Relocation.Pages pages, int leastApartBytes, long maxHeldBytes) {
        this.tree = tree;
        this.parts = parts;
        this.pages = pages;
        this.writing = parts.writing();
        this.leastApartBytes = leastApartBytes;
        this.held = new LoggedChanges(maxHeldBytes);
        this.lastLsn = parts.generations().now().lsn();
    }

    @Override
    public void admit(long bytes) throws IOException {
        parts.values().admit();
        if (parts.values().isFull()) {
            parts.values().write();
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
        writing.lock();
        try {
            parts.values().reserve(List.of(put), leastApartBytes);
            held.addPointer(put.key(), lsn, tree.append(put.key(), lsn, put.value()));
        } finally {
            writing.unlock();
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
        held.sort();
        int done = 0;
        while (done < held.size()) {
            int before = done;
            pages.makeRoom(newPages());
            done = replay(before);
            if (done == before) {
                pages.load(List.of(tree.missingPage()));
            } else {
                parts.buffer().releaseKept();
            }
        }
        end();
        held.clear();
    }

    /** The most pages that the changes of one leaf make: copies of its path, splits, and what one entry fills. */
    private int newPages() {
        return 4 * (tree.height() + 1) + 8 * held.longestBytes() / PageFile.UNIT_BYTES;
    }

    private int replay(int from) {
        if (held.touch(from) < 0) { // depends on what was read, or else it would not be read
            throw new IllegalStateException("a key shorter than nothing");
        }
        writing.lock();
        try {
            parts.buffer().prepare(newPages());
            return tree.replay(held, from);
        } finally {
            writing.unlock();
        }
    }

    private void end() {
        writing.lock();
        try {
            tree.replayed(lastLsn);
        } finally {
            writing.unlock();
        }
    }
}
