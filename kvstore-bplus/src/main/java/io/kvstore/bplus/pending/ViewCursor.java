package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.tree.TreeCursor;
import io.kvstore.bplus.tree.TreeReader;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.bytes.Slice;
import io.kvstore.data.EmptySpans;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.KeySpan;
import io.kvstore.engine.EngineCursor;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the entries of a view. It shows the entries of a state of the tree. For a key that has a waiting change, it shows
 * that change instead. Where many keys in a row were removed, it reports that to {@link EmptySpans}, and it skips spans that
 * are known.
 *
 * <p>A resting cursor holds no changes that are in the tree by now. It is told when a layer has been merged, and lets go of its
 * changes. When it is used again, it finds its place in a new view, which shows the same entries because an open snapshot keeps
 * them. A view of the newest state has no snapshot, so its cursor keeps what it sees.
 */
public final class ViewCursor implements EngineCursor {

    private static final byte[] EMPTY = {};

    /** The cursor asks for a known span once in this number of removed keys. */
    private static final int ASK_EVERY = 16;

    /** The cursor looks whether it is to end once in this number of removed keys. */
    private static final int STOP_CHECK = 1_024;

    private final Table table;
    private final KeyRange range;
    private final long viewLsn;
    private @Nullable Sources sources;
    private final AtomicReference<@Nullable Sources> resting = new AtomicReference<>();

    /** {@link ChangeBuffer#dropped} when the cursor took its view. */
    private int dropped;

    private TreeVersions.Look look;
    private TreeCursor tree;
    private byte[] key = EMPTY;
    private boolean isStarted;
    private boolean isEnded;
    private boolean closed;
    private BooleanSupplier isStopped = () -> false;

    public record Table(ChangeBuffer changes, TreeReader reader, ValueReader values) {}

    /** The position: one source is ahead of the other, or the tree and the waiting changes are both at one key. */
    private final class Sources {

        private final WaitingCursor waiting;
        private final long lsn;
        private int passed;
        private boolean isBehindSpan;
        private boolean skippedOne;
        private byte[] firstPassed = EMPTY;
        private byte[] lastPassed = EMPTY;
        private boolean isTreeEnded;
        private boolean isWaitingEnded;
        private boolean isTreeHere = true;
        private boolean isWaitingHere = true;

        Sources(WaitingView seen, KeyRange range) {
            this.waiting = new WaitingCursor(seen.runs(), range, seen.lsn());
            this.lsn = seen.lsn();
        }

        /** Goes on to the next key and returns it, or null at the end. */
        byte @Nullable [] next() throws IOException {
            while (true) {
                isTreeEnded |= isTreeHere && !tree.next();
                isWaitingEnded |= isWaitingHere && !waiting.next();
                byte[] waits = isWaitingEnded ? null : waiting.key();
                if (isTreeEnded && waits == null) {
                    isTreeHere = false;
                    isWaitingHere = false;
                    return seen(null);
                }
                int order = isTreeEnded ? 1 : waits == null ? -1 : KeyOrder.compare(tree.keyHere(), waits);
                order = range.reversed() && !isTreeEnded && waits != null ? -order : order;
                isTreeHere = order <= 0;
                isWaitingHere = order >= 0;
                if (!isWaitingHere || waits == null) {
                    return seen(tree.keyHere());
                }
                if (!waiting.isRemoval()) {
                    return seen(waits);
                }
                pass(waits);
            }
        }

        /** Goes past a removed key, and past all of a span around it in which nothing can be seen, if one is known. */
        private void pass(byte[] removed) throws IOException {
            if (passed == 0) {
                firstPassed = removed;
            } else if (passed % STOP_CHECK == 0 && isStopped.getAsBoolean()) {
                throw new StoreClosedException("the cursor was closed while it walked over what was removed");
            }
            lastPassed = removed;
            boolean asks = passed++ % ASK_EVERY == 0 || isBehindSpan;
            KeySpan empty = asks ? spans().around(removed, lsn) : null;
            isBehindSpan = empty != null;
            skippedOne |= isBehindSpan;
            byte[] end = empty == null ? null : range.reversed() ? empty.from() : empty.to();
            if (end != null) {
                waiting.skipTo(end);
                if (!isTreeEnded && isBefore(tree.keyHere(), end)) {
                    tree.skipTo(end);
                    isTreeHere = true;
                }
            } else if (empty != null) {
                isTreeEnded = true;
                isWaitingEnded = true;
            }
        }

        /** Whether a walk meets a key before it is at an end of a span. */
        private boolean isBefore(byte[] found, byte[] end) {
            int order = KeyOrder.compare(found, end);
            return range.reversed() ? order >= 0 : order < 0;
        }

        /** Tells others of the removed keys before an entry or, with null, before the end. Returns the entry's key. */
        private byte @Nullable [] seen(byte @Nullable [] entry) {
            if (EmptySpans.isWorthwhile(passed, skippedOne)) {
                // a snapshot of several tables may be later than all operations of this one
                long seen = Math.min(lsn, table.changes.appliedLsn());
                KeySpan empty = KeySpan.passed(range, isStarted ? firstPassed : null, entry);
                spans().learn(empty, firstPassed, lastPassed, seen, passed);
            }
            passed = 0;
            skippedOne = false;
            return entry;
        }

        private EmptySpans spans() {
            return table.changes.emptySpans();
        }
    }

    /**
     * @param viewLsn lsn of an open snapshot, or {@link Long#MAX_VALUE} for the newest state
     * @param check may throw if the view is not to be shown
     */
    public static EngineCursor open(Table table, KeyRange range, long viewLsn, Consumer<WaitingView> check)
            throws IOException {
        WaitingView seen = WaitingView.of(table.changes, viewLsn);
        try {
            check.accept(seen);
            return seen.runs().isEmpty()
                    ? new TreeCursor(table.reader, table.values, seen.look(), range)
                    : new ViewCursor(table, seen, range, viewLsn);
        } catch (Throwable e) {
            seen.look().close();
            throw e;
        }
    }

    private ViewCursor(Table table, WaitingView seen, KeyRange asked, long viewLsn) {
        this.table = table;
        this.range = withOwnBegin(asked);
        this.viewLsn = viewLsn;
        this.look = seen.look();
        KeyRange rest = table.changes.emptySpans().behindGap(range, seen.lsn());
        this.tree = new TreeCursor(table.reader, table.values, look, rest);
        Sources first = new Sources(seen, rest);
        first.skippedOne = !rest.equals(range);
        this.sources = first;
        this.dropped = seen.dropped();
        table.changes.add(this);
    }

    /** Others may learn that nothing is seen from the bound on at which the walk begins, and a caller may change its array. */
    private static KeyRange withOwnBegin(KeyRange range) {
        byte[] begin = range.reversed() ? range.upper() : range.lower();
        if (begin == null) {
            return range;
        }
        return range.reversed()
                ? range.to(begin.clone(), range.upperInclusive())
                : range.from(begin.clone(), range.lowerInclusive());
    }

    @Override
    public boolean next() throws IOException {
        byte[] next = isEnded ? null : sources().next();
        isStarted = true;
        isEnded = next == null;
        key = next == null ? key : next;
        return !isEnded;
    }

    /** The position. After a rest it is the one from before, or is found again. */
    private Sources sources() throws IOException {
        Sources now = sources;
        if (now == null) {
            now = resting.getAndSet(null);
            now = now == null ? again() : now;
            sources = now;
        }
        return now;
    }

    private Sources again() throws IOException {
        WaitingView seen = WaitingView.of(table.changes, viewLsn);
        KeyRange rest = range;
        try {
            if (isStarted) {
                rest = range.reversed() ? range.to(key, true) : range.from(key, true);
            }
            TreeCursor there = new TreeCursor(table.reader, table.values, seen.look(), rest);
            tree.close();
            tree = there;
            look = seen.look();
            dropped = seen.dropped();
        } catch (Throwable e) {
            seen.look().close();
            throw e;
        }
        Sources found = new Sources(seen, rest);
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
        byte[] value = pointer == null ? found.value() : table.values.read(key, pointer, 0, null);
        if (value == null) {
            // the value was moved after its change came into the tree, and before the view was opened
            value = table.reader.get(look.state(), key).value();
        }
        if (value == null) {
            throw new CorruptionException(table.reader.file(), -1, "has no value where a change is that gives one");
        }
        return Slice.of(value);
    }

    @Override
    public void stopWhen(BooleanSupplier isClosed) {
        isStopped = isClosed;
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

    /** Lets go of the waiting changes of a resting cursor. For any thread, after a layer has gone. */
    void letGo() {
        resting.set(null);
    }

    /** Whether the cursor holds waiting changes, or is in use. */
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
