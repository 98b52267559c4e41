package io.kvstore.lsm.version;

import io.kvstore.engine.Epochs;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.value.append.StoredSegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The current {@link Version} of a table, and the replaced ones that are still to be released.
 *
 * <p>A reader follows {@link #current()} within an epoch, or retains it by {@link #pin()}. The writer that switches
 * memtables, or a job that changes files, replaces the current version under this object's monitor, which is held for
 * memory operations only. The replaced version waits until a job calls {@link #retireReplaced}, because its end brings
 * about I/O. It is released two epochs later. When its pins are gone too, its memory and files go. A resting cursor lets go
 * of its version once the files of that version were replaced: the job that replaced them tells all open cursors.
 */
public final class VersionHistory implements AutoCloseable {

    private final Epochs epochs;
    private final Queue<Version> replaced = new ConcurrentLinkedQueue<>();
    private final Set<Version> leaving = ConcurrentHashMap.newKeySet();

    /** The levels that running jobs have pinned. Guarded by the list's own monitor. */
    private final List<Levels> working = new ArrayList<>();

    private final Set<LsmCursor> cursors = ConcurrentHashMap.newKeySet();
    private volatile Version current;

    public VersionHistory(Epochs epochs, Version first) {
        this.epochs = epochs;
        this.current = first;
    }

    /** The current version. Valid within the caller's epoch, or while no other thread can replace it. */
    public Version current() {
        return current;
    }

    /** The current version, retained for the caller. */
    public Version pin() {
        int ticket = epochs.enter();
        try {
            Version version = current;
            version.retain();
            return version;
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Whether files changed since a version was the current one. It keeps memtables or files that no other needs. */
    boolean isOutdated(Version version) {
        return current.levels() != version.levels();
    }

    /** The current files, retained until {@link #unpin}. Memtables are not, so that flushed ones can go. */
    public Levels pinLevels() {
        int ticket = epochs.enter();
        try {
            Levels levels = current.levels();
            synchronized (working) {
                working.add(levels); // the last step that needs memory
            }
            levels.retain();
            return levels;
        } finally {
            epochs.exit(ticket);
        }
    }

    /**
     * The current files, retained until {@link #letGo}: nobody waits until they go. Memtables are not, so that flushed ones can
     * go.
     */
    public Levels holdLevels() {
        int ticket = epochs.enter();
        try {
            Levels levels = current.levels();
            levels.retain();
            return levels;
        } finally {
            epochs.exit(ticket);
        }
    }

    public void letGo(Levels held) {
        held.release();
    }

    public void unpin(Levels levels) {
        synchronized (working) {
            working.remove(levels);
        }
        levels.release();
    }

    /** Returns the memtable that is flushed next, retained for the caller. */
    public MemTable pinOldestImmutable() {
        int ticket = epochs.enter();
        try {
            MemTable table = current.oldestImmutable();
            table.retain();
            return table;
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Bytes of files that no longer count and that jobs or readers inside hold, without those that only cursors hold. */
    long leavingBytes() {
        Levels now = current.levels();
        Set<TableFile> tables = new HashSet<>();
        Set<StoredSegment> segments = new HashSet<>();
        leaving.stream()
                .map(Version::levels)
                .filter(levels -> levels != now)
                .forEach(levels -> levels.addLeaving(tables, segments));
        synchronized (working) {
            working.stream().filter(levels -> levels != now).forEach(levels -> levels.addLeaving(tables, segments));
        }
        return tables.stream().mapToLong(table -> table.info().bytes()).sum()
                + segments.stream().mapToLong(StoredSegment::end).sum();
    }

    /** Replaces the current version, or throws and leaves the current version as it is. */
    public synchronized void replace(UnaryOperator<Version> change) {
        Version old = current;
        Version next = change.apply(old);
        try {
            leaving.add(old);
            replaced.add(old); // the last step that needs memory
        } catch (Throwable e) {
            leaving.remove(old);
            next.release();
            throw e;
        }
        current = next;
    }

    /** Takes the monitor, so that the version found has already been replaced. */
    private synchronized @Nullable Version firstReplaced() {
        return replaced.peek();
    }

    /** Registers a cursor, which from now on is told when files of its version were replaced. */
    public void add(LsmCursor cursor) {
        cursors.add(cursor);
    }

    void remove(LsmCursor cursor) {
        cursors.remove(cursor);
    }

    /** Retires replaced versions and lets resting cursors go of them. May close and delete files. */
    void retireReplaced() {
        cursors.forEach(LsmCursor::letGoIfResting);
        for (Version old = firstReplaced(); old != null; old = firstReplaced()) {
            Version leaver = old;
            epochs.retire(() -> leave(leaver)); // if there is no memory for this, the next change tries again
            replaced.remove(leaver);
        }
    }

    private void leave(Version version) {
        if (leaving.remove(version)) {
            version.release();
        }
    }

    /** Releases everything at once. No reader may be left. */
    @Override
    public void close() {
        for (Version version : leaving) {
            leave(version);
        }
        current.release();
    }
}
