package io.kvstore.bplus;

import io.kvstore.bplus.page.Node;
import io.kvstore.data.Mutation;
import io.kvstore.engine.FailureHandler;
import io.kvstore.error.StoreFailedException;
import io.kvstore.io.Slice;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValuePointer;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The writer's side of the tree: operations, and what else changes it. One thread at a time; readers look on.
 *
 * <p>An operation becomes a state of {@link Generations}. Values that are moved are none: the state after it has the lsn of the
 * one before. Neither is a part of the log while it is replayed, whose changes come in the order of their keys: the lsn stays
 * below all of them until the last one is there.
 */
final class Tree {

    private final Generations generations;
    private final ValueEntries values;
    private final TreeEditor editor;
    private final int leastApartBytes;
    private final FailureHandler failures;
    private final String file;
    private volatile boolean torn;
    private long missing;

    /**
     * @param shape order and threshold
     * @param failures told when a change was left half made
     */
    Tree(TreeParts parts, TreeShape shape, FailureHandler failures) {
        this.failures = failures;
        this.file = parts.buffer().file();
        this.generations = parts.generations();
        this.values = new ValueEntries(parts.values(), parts.index(), file);
        this.editor = new TreeEditor(parts, values, shape.order());
        this.leastApartBytes = shape.leastApartBytes();
    }

    /** Where a search in the newest state begins, 0 if it is empty. */
    long root() {
        return editor.root();
    }

    /**
     * Throws if a change ended in the middle, which takes an error such as {@link OutOfMemoryError}. Then some pages never rest
     * again, others are half changed: nothing more is changed or read, and nothing gets to the file.
     *
     * @throws StoreFailedException if so
     */
    void requireWhole() {
        if (torn) {
            throw new StoreFailedException(file + ": a change ended in the middle; open the store again", null);
        }
    }

    private void tear(Throwable cause) {
        torn = true;
        failures.fail(cause);
    }

    /** Applies an operation; everything on its paths is in memory. */
    void apply(long operation, List<Mutation> mutations) {
        synchronized (generations) {
            requireWhole();
            try {
                generations.begin(operation);
                values.begin(operation);
                editor.begin(operation);
                for (Mutation mutation : mutations) {
                    switch (mutation) {
                        case Mutation.Put(byte[] key, byte[] value) -> put(operation, key, value);
                        case Mutation.Remove(byte[] key) -> editor.remove(key);
                    }
                }
                end(operation);
            } catch (Throwable e) {
                tear(e);
                throw e;
            }
        }
    }

    private void put(long operation, byte[] key, byte[] value) {
        if (value.length >= leastApartBytes) {
            editor.put(key, values.append(key, operation, value), true);
        } else {
            editor.put(key, Slice.of(value), false);
        }
    }

    /** What was changed is the newest state. */
    private void end(long operation) {
        for (long segment : values.takeEmptied()) {
            generations.retire(-segment, 0);
        }
        generations.applied(new Generations.State(editor.root(), operation, editor.entries()));
    }

    /**
     * Writes values once more and lets their entries point there, if they still point to where the values were read. What
     * answers rest on does not change by that, so it has no lsn of its own.
     *
     * @return how many of them are done; if not all, {@link #missingPage} is to be loaded first
     */
    int move(List<Moving> all, int from) {
        return run(from, all.size(), at -> {
            boolean isFound = isFound(all.get(at).key());
            if (isFound) {
                move(all.get(at));
            }
            return isFound;
        });
    }

    /** Makes changes that have no lsn of their own, one after the other until one cannot be made; returns which. */
    private int run(int from, int end, IntPredicate change) {
        synchronized (generations) {
            requireWhole();
            try {
                Generations.State before = generations.now();
                generations.begin(before.lsn() + 1);
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

    private void move(Moving one) {
        if (editor.root() == 0) {
            return;
        }
        Page leaf = editor.path().leaf();
        if (values.isAt(leaf, Node.find(leaf.bytes(), one.key()), one.from())) {
            editor.begin(Node.lsn(leaf.bytes()));
            editor.put(one.key(), values.append(one.key(), one.lsn(), one.value()), true);
        }
    }

    private boolean isFound(byte[] key) {
        missing = editor.advance(key);
        return missing == 0;
    }

    /** What {@link #move} or {@link #replay} could not go on without, 0 if nothing. */
    long missingPage() {
        return missing;
    }

    /**
     * A value that is to be elsewhere.
     *
     * @param from where it was read
     * @param lsn of the write that put it
     */
    record Moving(ValuePointer from, byte[] key, long lsn, byte[] value) {}

    /** Keeps a value for a change of the log that follows. */
    ValuePointer append(byte[] key, long operation, byte[] value) {
        return values.keep(key, operation, value);
    }

    /**
     * Makes changes of the log in the order of their keys, all that belong to the leaf of the first one.
     *
     * @return where to go on; if that is where it began, {@link #missingPage} is to be loaded first
     */
    int replay(LoggedChanges sorted, int from) {
        return run(from, sorted.size(), at -> {
            byte[] key = sorted.key(at);
            boolean isNext = (at == from || editor.isOnPath(key)) && isFound(key);
            if (isNext) {
                replay(sorted, at, key);
            }
            return isNext;
        });
    }

    private void replay(LoggedChanges sorted, int at, byte[] key) {
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
            editor.remove(key);
        }
    }

    /** All changes up to this operation are made. */
    void replayed(long operation) {
        apply(operation, List.of());
    }

    /** The pages on the way to the keys that are not in memory; empty if all are. */
    List<Long> missing(List<Mutation> mutations) {
        return editor.missing(mutations);
    }

    /**
     * Shows the leaf that {@link #missing} just found the way to, if the tree is not empty.
     *
     * @return where the next leaf begins; null if it was the last
     */
    byte @Nullable [] showFound(Consumer<Page> visitor) {
        TreePath path = editor.path();
        if (path.length() > 0) {
            visitor.accept(path.leaf());
        }
        return path.upper();
    }

    /** Lets the index know the entries of a leaf. */
    void addTo(HashIndex known, Page leaf) {
        values.addTo(known, leaf);
    }

    /** Adds the pointers of a leaf that lead into some segments. */
    void pointers(Page leaf, Set<Long> segments, List<ValuePointer> found) {
        values.pointers(leaf, segments, found);
    }

    /** How many pages the tree has from the root to a leaf. */
    int height() {
        return editor.height();
    }
}
