package io.kvstore.bplus;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.tree.TreeReader;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads of one key. The hash index is asked first, then the changes that wait to be merged, then the tree. Each of them has
 * newer answers than the one after it, so the first answer counts.
 *
 * <p>A merge moves a change from the waiting ones into the tree while reads go on. A read that finds the change in neither, or
 * whose value was moved, begins again.
 */
final class PointReader {

    private final ChangeBuffer changes;
    private final TreeReader tree;
    private final ValueReader values;

    PointReader(ChangeBuffer changes, TreeReader tree, ValueReader values) {
        this.changes = changes;
        this.tree = tree;
        this.values = values;
    }

    /**
     * The value of a key in the newest state, with whole operations only. Index and layers may have changes of an operation
     * that is being applied. They do not count, and the tree has none of them.
     *
     * @param lent takes the value if it can; then the answer has {@link LentValue#ELSEWHERE}
     */
    StoredValue getNewest(byte[] key, @Nullable LentValue lent) throws IOException {
        StoredValue known = values.readNewest(key, changes.appliedLsn(), lent);
        if (known != null) {
            return known;
        }
        for (int attempt = 0; ; attempt++) {
            ChangeArena.Found waiting = changes.newest(key, changes.appliedLsn());
            StoredValue found = waiting == null ? null : answer(key, waiting, attempt, lent);
            // if the value was moved, the change is in the tree; a newer change that replaced it may not be there yet
            if (found == null && (waiting == null || isStillNewest(key, waiting))) {
                found = tree.tryGetNewest(key, attempt, lent);
            }
            if (found != null) {
                return found;
            }
            tree.pause(attempt);
        }
    }

    /** Whether a key has a value in the newest state: the answer has one, which may be another one. */
    StoredValue findNewest(byte[] key) throws IOException {
        for (int attempt = 0; ; attempt++) {
            ChangeArena.Found waiting = changes.newest(key, changes.appliedLsn());
            StoredValue found = waiting == null ? tree.tryFindNewest(key) : witness(key, waiting);
            if (found != null) {
                return found;
            }
            tree.pause(attempt);
        }
    }

    private static StoredValue witness(byte[] key, ChangeArena.Found found) {
        return new StoredValue(found.pointer() == null ? found.value() : key, found.lsn());
    }

    private boolean isStillNewest(byte[] key, ChangeArena.Found waiting) {
        ChangeArena.Found now = changes.newest(key, changes.appliedLsn());
        return now == null || now.lsn() == waiting.lsn();
    }

    /**
     * The value of a key as an open snapshot sees it. The newest change up to its lsn is in the index or waits; if it was found
     * in neither, it is in the tree. If the tree has no later operations after it was read, the read saw none of them.
     */
    StoredValue get(byte[] key, long lsn) throws IOException {
        StoredValue known = values.readKnown(key, lsn);
        if (known != null) {
            return known;
        }
        for (int attempt = 0; ; attempt++) {
            ChangeArena.Found waiting = changes.newest(key, lsn);
            StoredValue found = waiting == null ? null : answer(key, waiting, attempt, null);
            if (found == null) {
                found = tryGetInTree(key, lsn, attempt);
            }
            if (found != null) {
                return found;
            }
            tree.pause(attempt);
        }
    }

    private @Nullable StoredValue tryGetInTree(byte[] key, long lsn, int attempt) throws IOException {
        if (!changes.isPast(lsn)) {
            StoredValue found = tree.tryGetNewest(key, attempt, null);
            return changes.isPast(lsn) ? null : found;
        }
        try (TreeVersions.Look look = changes.look(lsn)) {
            return tree.get(look.state(), key);
        }
    }

    /** The answer that a waiting change gives; null if its value was moved or replaced meanwhile, and is gone. */
    private @Nullable StoredValue answer(byte[] key, ChangeArena.Found found, int attempt, @Nullable LentValue lent)
            throws IOException {
        ValuePointer pointer = found.pointer();
        byte[] value = pointer == null ? found.value() : values.read(key, pointer, attempt, lent);
        return pointer != null && value == null ? null : new StoredValue(value, found.lsn());
    }
}
