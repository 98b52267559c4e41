package io.kvstore.lsm.version;

import io.kvstore.error.Notices;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open, immutable file, counted by the versions that have it. The last version closes the file, and deletes it if it is
 * obsolete.
 *
 * <p>Invariants: the file is closed once, however often it is given up. So any code that may own a new file can give it up.
 * A failure of the close or of the deletion is logged and not thrown, because other files are to be closed after this one.
 */
abstract sealed class SharedFile permits TableFile, ValueFile {

    private final Storage storage;
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicBoolean gone = new AtomicBoolean();
    private volatile boolean obsolete;

    /** Whether a version has the file or had it. */
    private volatile boolean wasHeld;

    SharedFile(Storage storage) {
        this.storage = storage;
    }

    abstract String path();

    abstract long bytes();

    abstract void close() throws IOException;

    /** Notes that the durable manifest does not name the file. */
    final void markObsolete() {
        obsolete = true;
    }

    /** Whether the manifest no longer names the file, and the file is still there for a version that has it. */
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

    /** Closes and deletes a new file that no manifest names. Does nothing if a version has or had the file. */
    public void abandon() {
        if (!wasHeld && !gone.get()) {
            markObsolete();
            discard();
        }
    }

    /** Closes a new file that a manifest may name, without deleting it. Does nothing if a version has or had the file. */
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
