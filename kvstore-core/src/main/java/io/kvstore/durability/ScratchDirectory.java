package io.kvstore.durability;

import io.kvstore.error.Closing;
import io.kvstore.io.NestedStorage;
import io.kvstore.io.Storage;
import io.kvstore.io.TemporaryDirectory;
import java.io.IOException;
import java.util.Set;

/**
 * A directory for the files of one job, in the directory of the store, so on its disk. {@link #close} deletes it. One that a
 * kill left is deleted when the store is opened again. A store in memory has such files in a temporary directory of the system.
 */
public final class ScratchDirectory implements AutoCloseable {

    private final Storage files;
    private final AutoCloseable end;

    /** The job, which ends what it does in the directory before it closes this. */
    private final Thread job = Thread.currentThread();

    private final Set<ScratchDirectory> open;

    private ScratchDirectory(Storage files, AutoCloseable end, Set<ScratchDirectory> open) {
        this.files = files;
        this.end = end;
        this.open = open;
    }

    /** @param open has this one until it is closed */
    static ScratchDirectory make(StoreServices services, Set<ScratchDirectory> open) throws IOException {
        ScratchDirectory made = make(services.storage(), services, open);
        synchronized (open) {
            open.add(made);
        }
        return made;
    }

    private static ScratchDirectory make(Storage storage, StoreServices services, Set<ScratchDirectory> open)
            throws IOException {
        if (storage.isVolatile()) {
            TemporaryDirectory temporary = TemporaryDirectory.make();
            return new ScratchDirectory(temporary.files(), temporary, open);
        }
        String name = StoreFiles.SCRATCH_NAME.of(
                Integer.toUnsignedLong(services.catalog().takeTableId()));
        storage.createDirectory(name);
        return new ScratchDirectory(new NestedStorage(storage, name), () -> storage.deleteTree(name), open);
    }

    /** The files. There are none at first. */
    public Storage files() {
        return files;
    }

    /** Deletes the files. What cannot be deleted is told to the log of the program, and goes with the next opening. */
    @Override
    public void close() {
        try {
            Closing.giveUp(end, ScratchDirectory.class, files.toString());
        } finally {
            synchronized (open) {
                open.remove(this);
                open.notifyAll();
            }
        }
    }

    /**
     * Waits until the jobs of other threads have ended. Called when no call of the store begins any more, so that each job
     * fails with its next one. An interrupt does not end the wait; the flag is set again.
     *
     * @return whether they did in time
     */
    static boolean awaitNone(Set<ScratchDirectory> open, long nanos) {
        long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        synchronized (open) {
            for (long leftMillis = nanos / 1_000_000; leftMillis > 0 && hasOthers(open); ) {
                try {
                    open.wait(leftMillis);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                leftMillis = (deadline - System.nanoTime()) / 1_000_000;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return !hasOthers(open);
        }
    }

    /** Whether a job of another thread has not ended. Without any job, this needs no memory. */
    private static boolean hasOthers(Set<ScratchDirectory> open) {
        return !open.isEmpty() && open.stream().anyMatch(each -> !each.job.equals(Thread.currentThread()));
    }
}
