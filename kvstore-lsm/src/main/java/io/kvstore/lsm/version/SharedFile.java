package io.kvstore.lsm.version;

import io.kvstore.error.Notices;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open, immutable file, counted by the versions that have it. The last one closes it, and deletes it if it is obsolete.
 *
 * <p>Invariants: it is closed once, however often it is given up, so that whoever may own a new file can give it up. What fails
 * then is told and thrown at nobody, because other files are to be closed after it.
 */
abstract sealed class SharedFile permits TableFile, ValueFile {

    private final Storage storage;
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicBoolean gone = new AtomicBoolean();
    private volatile boolean obsolete;

    /** Whether a version has it or had it. */
    private volatile boolean wasHeld;

    SharedFile(Storage storage) {
        this.storage = storage;
    }

    abstract String path();

    abstract long bytes();

    abstract void close() throws IOException;

    /** The manifest does not refer to the file, durably. */
    final void markObsolete() {
        obsolete = true;
    }

    /** Whether the manifest does not name it any more, though the file is still there for a version that has it. */
    final boolean isLeaving() {
        return obsolete && !gone.get();
    }

    final void retain() {
        wasHeld = true;
        holders.incrementAndGet();
    }

    final void release() {
        if (holders.decrementAndGet() == 0) {
            discard();
        }
    }

    /** Gives up a new file, unless a version has it: no manifest names it. */
    public void abandon() {
        if (!wasHeld && !gone.get()) {
            markObsolete();
            discard();
        }
    }

    /** Closes a new file, unless a version has it: a manifest may name it. */
    final void discardIfNew() {
        if (!wasHeld) {
            discard();
        }
    }

    private void discard() {
        if (!gone.compareAndSet(false, true)) {
            return;
        }
        try {
            close();
            if (obsolete) {
                storage.delete(path());
            }
        } catch (Throwable e) {
            Notices.warning(SharedFile.class, path(), "it stays until the table is opened again", e);
        }
    }
}
