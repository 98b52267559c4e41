package io.kvstore.value;

import io.kvstore.engine.TableContext;
import io.kvstore.engine.TaskGate;
import io.kvstore.error.Notices;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Segments that were written past the system's cache of files, until they are read. A value that the cache does not have
 * waits for the disk; so when about as many were read one by one as take the time of reading the segment as a whole, that is
 * done, in the background, one segment after the other. It is a copy for the cache only, of what is checked where it is used.
 */
final class ColdSegments {

    /** A read of a page takes a disk about 0.1 ms, one of 64 MiB 15 to 100. */
    private static final int WARM_AFTER_READS = 128;

    private static final int PIECE_BYTES = 256 << 10;

    private final TableContext context;
    private final Queue<Cold> due = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final TaskGate gate;

    ColdSegments(TableContext context) {
        this.context = context;
        this.gate = new TaskGate(context.background().waiter());
    }

    /** One segment. */
    final class Cold {

        private final String path;
        private final AtomicBoolean isDue = new AtomicBoolean();

        /** Changed by all readers without a lock: a hint, some of them are lost. */
        private int reads;

        private Cold(String path) {
            this.path = path;
        }

        /** A value is read; whether there were enough of them, so that there is nothing more to be noted. */
        boolean noteRead() {
            reads++;
            if (reads < WARM_AFTER_READS) {
                return false;
            }
            if (isDue.compareAndSet(false, true)) {
                due.add(this);
                schedule();
            }
            return true;
        }
    }

    /** The segment of which something was written past the cache. */
    Cold of(String path) {
        return new Cold(path);
    }

    private void schedule() {
        if (!gate.isClosed()) {
            context.background().longWork().executeOnce(scheduled, this::warm);
        }
    }

    private void warm() {
        try {
            gate.run(() -> {
                Cold next = due.poll();
                if (next != null) {
                    warm(next.path);
                }
            });
        } finally {
            scheduled.set(false);
        }
        if (!due.isEmpty()) {
            schedule();
        }
    }

    private void warm(String path) {
        byte[] piece = new byte[PIECE_BYTES];
        try (StorageFile file = context.storage().openReadOnly(path)) {
            long at = 0;
            int count = 0;
            while (count >= 0 && !gate.isClosed()) {
                at += count;
                count = file.read(ByteBuffer.wrap(piece), at);
            }
        } catch (IOException e) {
            // it may be gone; who reads a value will tell
            Notices.debug(ColdSegments.class, path, "it is not read as a whole", e);
        }
    }

    /** Waits for what is under way; later nothing is read. */
    void close() {
        gate.close();
    }
}
