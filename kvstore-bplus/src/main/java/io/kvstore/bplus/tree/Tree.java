package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.change.BlockedRanges;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.page.Node;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.FailureHandler;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.value.LiveValue;
import io.kvstore.value.segment.ValuePointer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of the tree. One thread at a time changes the tree; readers go on meanwhile.
 *
 * <p>Changes of many operations come in the order of their keys, from the {@code ChangeBuffer} or from the log. The lsn of the
 * newest state stays below all of these operations until the last change is made. A move of values is no operation: the state
 * after it has the lsn of the state before.
 */
public final class Tree {

    /** Longer values are kept apart, whatever the threshold. */
    public static final int MAX_INLINE_BYTES = 1_024;

    /** The most changes that are made while other threads wait for the lock for writing. */
    private static final int MOST_AT_A_TIME = 64;

    private final TreeVersions versions;
    private final ValueEntries values;
    private final TreeEditor editor;
    private final PageBuffer buffer;
    private final RankedLock putting;
    private final FailureHandler failures;
    private final String file;
    private volatile boolean torn;
    private volatile long removedLsn;

    private final AtomicLong removals = new AtomicLong();

    private long missing;

    /**
     * @param failures told when a change was left half made
     * @param order the most entries of a page
     */
    public Tree(TreeParts parts, FailureHandler failures, int order) {
        this.failures = failures;
        this.file = parts.buffer().file();
        this.buffer = parts.buffer();
        this.versions = parts.versions();
        this.values = new ValueEntries(parts.values(), parts.index().places(), file);
        this.editor = new TreeEditor(parts, values, order);
        this.putting = parts.putting();
    }

    /** The page where a search in the newest state begins; 0 if the tree is empty. */
    public long root() {
        return editor.root();
    }

    /**
     * Throws {@link StoreFailedException} if a change ended in the middle, by an error such as {@link OutOfMemoryError}. Then
     * some pages never rest again, and others are half changed. So nothing is changed, read or written any more.
     */
    public void requireWhole() {
        if (torn) {
            throw new StoreFailedException(file + ": a change ended in the middle; open the store again", null);
        }
    }

    public void tear(Throwable cause) {
        torn = true;
        failures.fail(cause);
    }

    private void end(long operation) {
        retireEmptied();
        versions.applied(new TreeVersions.State(editor.root(), operation, editor.entries()));
    }

    /** The tree points into segments of smaller numbers only. With the monitor of the states. */
    public long segmentsEnd() {
        return values.segmentsEnd();
    }

    /** Retires the sealed segments of values that are empty. */
    public void retireEmptied() {
        synchronized (versions) {
            try (RankedLock.Held _ = putting.hold()) {
                values.releaseDisplaced();
                values.takeEmptied(versions::retireSegment);
            }
        }
    }

    /**
     * Writes values once more and lets their entries point there, if they still point to where the values were read. A move
     * changes no answer and no lsn that an answer rests on, so it has no lsn of its own. Returns the index of the first value
     * that is not done, for which {@link #missingPage} is to be loaded.
     */
    public int move(List<LiveValue> all, int from) {
        return run(from, all.size(), at -> {
            boolean isFound = isFound(all.get(at).key());
            if (isFound) {
                move(all.get(at));
            }
            return isFound;
        });
    }

    /** Makes changes that have no lsn of their own, until one cannot be made. Returns the index of that one, or {@code end}. */
    private int run(int from, int end, IntPredicate change) {
        synchronized (versions) {
            requireWhole();
            try {
                TreeVersions.State before = versions.now();
                versions.begin(before.lsn() + 1);
                editor.beginRun();
                int at = from;
                while (at < end && change.test(at)) {
                    at++;
                }
                end(before.lsn());
                return at;
            } catch (Throwable e) {
                tear(e);
                throw e;
            }
        }
    }

    private void move(LiveValue one) {
        if (editor.root() == 0) {
            return;
        }
        Page leaf = editor.path().leaf();
        if (values.isAt(leaf, Node.find(leaf.bytes(), one.key()), one.from())) {
            editor.begin(Node.lsn(leaf.bytes()));
            try (RankedLock.Held _ = putting.hold()) {
                editor.put(one.key(), values.append(one.key(), one.lsn(), one.value()), true);
                values.moved(one.key(), one.from());
            }
        }
    }

    /** Merges the leaf of a key with a neighbour, if both are half empty. False if {@link #missingPage} is to be loaded. */
    public boolean mergeSparse(byte[] key) {
        return run(0, 1, at -> {
                    boolean isFound = isFound(key);
                    if (isFound && editor.root() != 0) {
                        editor.begin(Node.lsn(editor.path().leaf().bytes()));
                        missing = editor.mergeSparse();
                    }
                    return missing == 0;
                })
                == 1;
    }

    private boolean isFound(byte[] key) {
        missing = editor.advance(key);
        return missing == 0;
    }

    /** The page that the last call needed and that is not in memory; 0 if there is none. */
    public long missingPage() {
        return missing;
    }

    /**
     * Makes changes in the order of their keys: those that belong to the leaf of the first one, and more while their leaves are
     * in memory.
     *
     * @param newPages the most pages that the changes of one leaf make; there is memory for them
     * @return index of the next change; if that is {@code from}, {@link #missingPage} is to be loaded first
     */
    public int applySorted(SortedChanges sorted, int from, int newPages) {
        int end = Math.min(sorted.size(), from + MOST_AT_A_TIME);
        return run(from, end, at -> {
            byte[] key = sorted.key(at);
            boolean isNext = (at == from || editor.isOnPath(key) || buffer.isPrepared(newPages)) && isFound(key);
            if (isNext) {
                apply(sorted, at, key);
            }
            return isNext;
        });
    }

    private void apply(SortedChanges sorted, int at, byte[] key) {
        ValuePointer pointer = sorted.pointer(at);
        Slice value = sorted.value(at);
        editor.begin(sorted.lsn(at));
        if (!sorted.isNewest(at)) {
            values.forget(key, pointer);
        } else if (pointer != null) {
            editor.put(key, values.pointTo(pointer), true);
        } else if (value != null) {
            editor.put(key, value, false);
        } else {
            removedLsn = Math.max(removedLsn, sorted.lsn(at));
            editor.remove(key);
            removals.incrementAndGet();
        }
    }

    /**
     * The newest operation that removed a key and is in the tree or about to be. The answer that a key is not there may rest on
     * it: changes come in the order of keys, so a page may have been made by an operation that is older than the removal.
     */
    long removedLsn() {
        return removedLsn;
    }

    /** Called when all changes up to this operation are made. */
    public void applied(long operation) {
        synchronized (versions) {
            requireWhole();
            try {
                versions.begin(operation);
                end(operation);
                versions.whole();
            } catch (Throwable e) {
                tear(e);
                throw e;
            }
        }
    }

    /**
     * Begins changes that together are the operations from {@code firstLsn} to that of {@link #applied}. Until that call only a
     * thread that has all of these changes from elsewhere looks at a state with a part of them.
     */
    public void beginPart(long firstLsn) {
        synchronized (versions) {
            versions.beginPart(firstLsn);
        }
    }

    /** Blocks the keys whose path leads through a damaged page, if that page is still missing. */
    void block(byte[] key, long page, BlockedRanges blocked, CorruptionException cause) {
        if (find(key) == page) {
            blocked.add(key, editor.path().lower(), editor.path().upperOfMissing(), cause);
        }
    }

    /** Finds the path to a key in the newest state, as far as it is in memory. Returns the missing page, or 0. */
    long find(byte[] key) {
        return editor.find(key);
    }

    /** Shows the leaf that {@link #find} found, if any. Returns the key where the next leaf begins, or null. */
    byte @Nullable [] showFound(Consumer<Page> visitor) {
        TreePath path = editor.path();
        if (path.length() > 0) {
            visitor.accept(path.leaf());
        }
        return path.upper();
    }

    public void addTo(Page leaf, Predicate<byte[]> isNewer) {
        values.addTo(leaf, isNewer);
    }

    public void pointers(Page leaf, Set<Long> segments, List<ValuePointer> found) {
        values.pointers(leaf, segments, found);
    }

    public long removals() {
        return removals.get();
    }

    public void forgetRemovals() {
        removals.set(0);
    }

    /** How many pages the tree has from the root to a leaf. */
    public int height() {
        return editor.height();
    }
}
