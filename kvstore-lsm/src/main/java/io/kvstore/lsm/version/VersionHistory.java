package io.kvstore.lsm.version;

import io.kvstore.engine.Epochs;
import io.kvstore.lsm.memtable.MemTable;
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
 * The current {@link Version} of a table, and how older ones go.
 *
 * <p>A reader follows {@link #current()} within an epoch, or retains it by {@link #pin()}. Who replaces it, the writer that
 * switches memtables or a job that changes files, does so under this object's monitor, held for memory operations only. The
 * replaced version waits until a job calls {@link #retireReplaced}, because what its end brings about is I/O; two epochs
 * later it is released, and when its pins are gone too, its memory and files go. Cursors that rest let go of theirs when other
 * files have what it holds: whoever changed them tells all that are open.
 */
public final class VersionHistory implements AutoCloseable {

    private final Epochs epochs;
    private final Queue<Version> replaced = new ConcurrentLinkedQueue<>();
    private final Set<Version> leaving = ConcurrentHashMap.newKeySet();

    /** The levels that running jobs have pinned; guarded by its own monitor. */
    private final List<Levels> working = new ArrayList<>();

    private final Set<LsmCursor> cursors = ConcurrentHashMap.newKeySet();
    private volatile Version current;

    public VersionHistory(Epochs epochs, Version first) {
        this.epochs = epochs;
        this.current = first;
    }

    /** The current version; valid within the caller's epoch, or while no one else can replace it. */
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

    /** Whether files have changed since a version was the current one: it keeps memtables or files that nobody else needs. */
    boolean isOutdated(Version version) {
        return current.levels() != version.levels();
    }

    /**
     * The current files alone, retained for a job until it calls {@link #unpin}: however long it needs them, flushed memtables
     * go meanwhile.
     */
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

    /** A job is done with files. */
    public void unpin(Levels levels) {
        synchronized (working) {
            working.remove(levels);
        }
        levels.release();
    }

    /** The memtable that is flushed next, retained for the caller. */
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

    /** The files that do not count any more, and that jobs or readers who may still be inside have; not those of cursors. */
    Set<SharedFile> leavingFiles() {
        Levels now = current.levels();
        Set<SharedFile> files = new HashSet<>();
        leaving.stream()
                .map(Version::levels)
                .filter(levels -> levels != now)
                .forEach(levels -> levels.forEachLeaving(files::add));
        synchronized (working) {
            working.stream().filter(levels -> levels != now).forEach(levels -> levels.forEachLeaving(files::add));
        }
        return files;
    }

    /** Replaces the current version, or throws something and leaves it. */
    public synchronized void replace(UnaryOperator<Version> change) {
        Version old = current;
        Version next = change.apply(old);
        boolean replacing = false;
        try {
            leaving.add(old);
            replaced.add(old); // the last step that needs memory
            replacing = true;
        } finally {
            if (!replacing) {
                leaving.remove(old);
                next.release();
            }
        }
        current = next;
    }

    /** Under the monitor, so that what is found has been replaced. */
    private synchronized @Nullable Version firstReplaced() {
        return replaced.peek();
    }

    /** A cursor is told from now on when what it holds was replaced. */
    public void add(LsmCursor cursor) {
        cursors.add(cursor);
    }

    void remove(LsmCursor cursor) {
        cursors.remove(cursor);
    }

    /** Lets go of what was replaced; may close and delete files. */
    void retireReplaced() {
        cursors.forEach(LsmCursor::letGoIfResting);
        for (Version old = firstReplaced(); old != null; old = firstReplaced()) {
            Version leaver = old;
            epochs.retire(() -> leave(leaver)); // without memory for that it is tried again at the next change
            replaced.remove(leaver);
        }
    }

    private void leave(Version version) {
        if (leaving.remove(version)) {
            version.release();
        }
    }

    /** Lets go of everything at once; no reader may be left. */
    @Override
    public void close() {
        for (Version version : leaving) {
            leave(version);
        }
        current.release();
    }
}
