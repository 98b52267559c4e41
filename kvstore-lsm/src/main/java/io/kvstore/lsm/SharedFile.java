package io.kvstore.lsm;

import io.kvstore.error.Notices;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** An open, immutable file, counted by the versions that have it. The last one closes it, and deletes it if it is obsolete. */
abstract sealed class SharedFile permits TableFile, ValueFile {

    private final Storage storage;
    private final AtomicInteger holders = new AtomicInteger();
    private volatile boolean obsolete;

    SharedFile(Storage storage) {
        this.storage = storage;
    }

    abstract String path();

    abstract void close() throws IOException;

    /** The manifest does not refer to the file, durably. */
    final void markObsolete() {
        obsolete = true;
    }

    final void retain() {
        holders.incrementAndGet();
    }

    final void release() {
        if (holders.decrementAndGet() == 0) {
            discard();
        }
    }

    /** Gives up a new file that came into no version. */
    void abandon() {
        markObsolete();
        discard();
    }

    /** Closes a file that no version has. */
    final void discard() {
        try {
            close();
            if (obsolete) {
                storage.delete(path());
            }
        } catch (IOException e) {
            Notices.warning(SharedFile.class, path(), "it stays until the table is opened again", e);
        }
    }
}
