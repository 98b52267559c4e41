package io.kvstore.lsm.compaction;

import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Decides which entries a flush or a compaction keeps. It is shown every entry of the merge in order, the newest version of
 * a key first.
 *
 * <h2>Rules</h2>
 *
 * <ol>
 *   <li>The newest version of a key stays, because a later snapshot sees it. An older version stays if an open snapshot
 *       sees it: a snapshot at or above its lsn and below that of the next newer version.
 *   <li>A tombstone goes if nothing that it hides is left. That is so if no place below the merge may hold its key, and it
 *       is not above the oldest snapshot, so that by the first rule no older version in the merge stays.
 * </ol>
 */
final class Retention {

    private final long[] snapshots;
    private final Predicate<byte[]> mayBeBelow;
    private final KeyBuffer key = new KeyBuffer();
    private boolean started;
    private long newerLsn;
    private long keptLsn;

    /**
     * @param snapshots the open snapshots that may see an entry, ascending, without duplicates
     * @param mayBeBelow whether a place older than everything in the merge may hold a key
     */
    Retention(long[] snapshots, Predicate<byte[]> mayBeBelow) {
        this.snapshots = snapshots;
        this.mayBeBelow = mayBeBelow;
    }

    boolean keeps(EntryCursor entry) {
        boolean newest = !started || !entry.key().holds(key);
        boolean visible = newest || isSeen(entry.lsn(), newerLsn);
        if (newest) {
            started = true;
            key.set(entry.key());
        }
        keptLsn = newest ? 0 : newestBelow(newerLsn);
        newerLsn = entry.lsn();
        if (!visible || entry.kind() != EntryKind.TOMBSTONE) {
            return visible;
        }
        boolean hidesForAll = snapshots.length == 0 || entry.lsn() <= snapshots[0];
        boolean hidesSome = mayBeBelow.test(key.toArray());
        if (newest && !hidesForAll && !hidesSome) {
            keptLsn = newestBelow(entry.lsn());
        }
        return !hidesForAll || hidesSome;
    }

    /** The newest snapshot that keeps the last kept entry, or 0 if the entry would stay without snapshots. */
    long keptLsn() {
        return keptLsn;
    }

    private long newestBelow(long lsn) {
        int at = firstFrom(lsn);
        return at == 0 ? 0 : snapshots[at - 1];
    }

    private boolean isSeen(long from, long below) {
        int at = firstFrom(from);
        return at < snapshots.length && snapshots[at] < below;
    }

    /** The index of the first snapshot at or after an lsn. A search, because thousands of snapshots may be open. */
    private int firstFrom(long lsn) {
        int at = Arrays.binarySearch(snapshots, lsn);
        return at < 0 ? -at - 1 : at;
    }
}
