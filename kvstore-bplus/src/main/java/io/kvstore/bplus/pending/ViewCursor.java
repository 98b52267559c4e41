package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.tree.TreeCursor;
import io.kvstore.bplus.tree.TreeReader;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Slice;
import io.kvstore.value.ValuePointer;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the entries of a view: those of a state of the tree, but of keys that waiting changes are of what these say.
 *
 * <p>While it rests it holds no changes that are in the tree by now: it is told when a layer is, and lets go. Then it finds its
 * place again when it is used, in what there is to be seen then; that is the same, as an open snapshot keeps it. The view of
 * the newest state has no snapshot and holds what it sees.
 */
public final class ViewCursor implements EngineCursor {

    private static final byte[] EMPTY = {};

    private final Table table;
    private final KeyRange range;
    private final long viewLsn;
    private @Nullable Sources sources;
    private final AtomicReference<@Nullable Sources> resting = new AtomicReference<>();

    /** How many layers had gone when it looked at those that were left. */
    private int dropped;

    private TreeVersions.Look look;
    private TreeCursor tree;
    private byte[] key = EMPTY;
    private boolean isStarted;
    private boolean isEnded;
    private boolean closed;

    /** What is read. */
    public record Table(ChangeBuffer changes, TreeReader reader, ValueReader values) {}

    /** Where it is: in the tree ahead of the waiting changes, or the other way round, or in both at one key. */
    private final class Sources {

        private final WaitingCursor waiting;
        private boolean isTreeEnded;
        private boolean isWaitingEnded;
        private boolean isTreeHere = true;
        private boolean isWaitingHere = true;

        Sources(WaitingCursor waiting) {
            this.waiting = waiting;
        }

        /** The next key, or null. */
        byte @Nullable [] next() throws IOException {
            while (true) {
                isTreeEnded |= isTreeHere && !tree.next();
                isWaitingEnded |= isWaitingHere && !waiting.next();
                byte[] waits = isWaitingEnded ? null : waiting.key();
                if (isTreeEnded && waits == null) {
                    isTreeHere = false;
                    isWaitingHere = false;
                    return null;
                }
                int order = isTreeEnded ? 1 : waits == null ? -1 : KeyOrder.compare(tree.keyHere(), waits);
                order = range.reversed() && !isTreeEnded && waits != null ? -order : order;
                isTreeHere = order <= 0;
                isWaitingHere = order >= 0;
                if (!isWaitingHere || waits == null) {
                    return tree.keyHere();
                }
                if (!waiting.isRemoval()) {
                    return waits;
                }
            }
        }
    }

    /**
     * A cursor before the first entry.
     *
     * @param viewLsn of an open snapshot, or above all for the newest state
     * @param check may throw if what is seen is not to be shown
     */
    public static EngineCursor open(Table table, KeyRange range, long viewLsn, Consumer<WaitingView> check)
            throws IOException {
        WaitingView seen = WaitingView.of(table.changes, viewLsn);
        boolean handedOn = false;
        try {
            check.accept(seen);
            EngineCursor cursor = seen.runs().isEmpty()
                    ? new TreeCursor(table.reader, table.values, seen.look(), range)
                    : new ViewCursor(table, seen, range, viewLsn);
            handedOn = true;
            return cursor;
        } finally {
            if (!handedOn) {
                seen.look().close();
            }
        }
    }

    private ViewCursor(Table table, WaitingView seen, KeyRange range, long viewLsn) {
        this.table = table;
        this.range = range;
        this.viewLsn = viewLsn;
        this.look = seen.look();
        this.tree = new TreeCursor(table.reader, table.values, look, range);
        this.sources = new Sources(new WaitingCursor(seen.runs(), range, seen.lsn()));
        this.dropped = seen.dropped();
        table.changes.add(this);
    }

    @Override
    public boolean next() throws IOException {
        byte[] next = isEnded ? null : sources().next();
        isStarted = true;
        isEnded = next == null;
        key = next == null ? key : next;
        return !isEnded;
    }

    /** Where it is, or was when it came to rest. */
    private Sources sources() throws IOException {
        Sources now = sources;
        if (now == null) {
            now = resting.getAndSet(null);
            now = now == null ? again() : now;
            sources = now;
        }
        return now;
    }

    /** Finds its place in what there is to be seen now. */
    private Sources again() throws IOException {
        WaitingView seen = WaitingView.of(table.changes, viewLsn);
        KeyRange rest = range;
        boolean isTaken = false;
        try {
            if (isStarted) {
                rest = range.reversed() ? range.to(key, true) : range.from(key, true);
            }
            TreeCursor there = new TreeCursor(table.reader, table.values, seen.look(), rest);
            tree.close();
            tree = there;
            look = seen.look();
            dropped = seen.dropped();
            isTaken = true;
        } finally {
            if (!isTaken) {
                seen.look().close();
            }
        }
        Sources found = new Sources(new WaitingCursor(seen.runs(), rest, seen.lsn()));
        if (isStarted) {
            byte[] same = found.next();
            if (same == null || KeyOrder.compare(same, key) != 0) {
                throw new IllegalStateException("a view lost an entry");
            }
        }
        return found;
    }

    @Override
    public byte[] key() {
        requireEntry();
        return key.clone();
    }

    private void requireEntry() {
        if (!isStarted || isEnded) {
            throw new IllegalStateException("the cursor is at no entry");
        }
    }

    @Override
    public byte[] value() throws IOException {
        return valueHere().toWholeArray();
    }

    @Override
    public Slice valueHere() throws IOException {
        requireEntry();
        if (range.keysOnly()) {
            return Slice.of(EMPTY);
        }
        Sources now = sources();
        if (!now.isWaitingHere) {
            return tree.valueHere();
        }
        ChangeArena.Found found = now.waiting.found();
        ValuePointer pointer = found.pointer();
        byte[] value = pointer == null ? found.value() : table.values.read(key, pointer, 0);
        if (value == null) {
            // it was moved after it came into the tree, and before the view was opened
            value = table.reader.get(look.state(), key).value();
        }
        if (value == null) {
            throw new CorruptionException(table.reader.file(), -1, "has no value where a change is that gives one");
        }
        return Slice.of(value);
    }

    @Override
    public void rest() {
        Sources now = sources;
        if (now != null && viewLsn != Long.MAX_VALUE) {
            sources = null;
            resting.set(now);
            if (table.changes.dropped() != dropped) {
                letGo();
            }
        }
    }

    /** Holds no waiting changes while it rests; for any thread, after a layer has gone. */
    void letGo() {
        resting.set(null);
    }

    /** Whether it holds waiting changes, or is used. */
    public boolean isHolding() {
        return sources != null || resting.get() != null;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            table.changes.remove(this);
            tree.close();
        }
    }
}
