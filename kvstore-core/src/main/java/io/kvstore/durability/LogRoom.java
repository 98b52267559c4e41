package io.kvstore.durability;

import io.kvstore.error.DiskFullException;
import io.kvstore.error.OverloadedException;
import io.kvstore.wal.WriteAheadLog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Room in the log for a record. If the log has reached its limit, the writer waits until a checkpoint has freed some of it, at
 * most the stall time-out. A writer that waits in vain frees the log itself, so that no progress depends on a free thread of
 * the store. The writer holds no lock meanwhile.
 */
final class LogRoom {

    private static final long LOOK_MILLIS = 200;

    private final StoreServices services;
    private final Checkpointer checkpointer;
    private final AtomicLong waits = new AtomicLong();

    LogRoom(StoreServices services, Checkpointer checkpointer) {
        this.services = services;
        this.checkpointer = checkpointer;
    }

    /** Returns when there is room for the record, which may use the spare if it only removes. */
    void take(long bytes, boolean maySpare) {
        if (!services.log().makeRoom(bytes, maySpare)) {
            await(bytes, maySpare);
        }
    }

    long waits() {
        return waits.get();
    }

    private void await(long bytes, boolean maySpare) {
        waits.incrementAndGet();
        WriteAheadLog log = services.log();
        long millis = services.setup().stallTimeoutMillis();
        long begin = services.clock().nanoTime();
        do {
            services.health().check();
            long freed = log.space().freedSegments();
            checkpointer.request();
            boolean changed = services.background()
                    .waiter()
                    .await(
                            () -> log.space().freedSegments() != freed
                                    || services.health().cause() != null,
                            Math.min(millis, LOOK_MILLIS));
            if (!changed) {
                log.space().breakHolds();
                help();
            }
            if (log.makeRoom(bytes, maySpare)) {
                return;
            }
        } while (services.clock().nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(millis));
        throw tooLong();
    }

    private void help() {
        try {
            checkpointer.help();
        } catch (IOException e) {
            checkpointer.note(e);
        }
    }

    private RuntimeException tooLong() {
        String holder = checkpointer.holder();
        Throwable last = checkpointer.lastFailure();
        String text = "the log has as many bytes as it may have ("
                + services.setup().logLimitBytes() + ", from checkpointLogBytes)"
                + (holder == null
                        ? ""
                        : "; table " + holder + " needs the oldest of them, and its checkpoint is not done yet")
                + (last == null ? "" : "; the last checkpoint failed: " + last);
        if (Checkpointer.isForWantOfSpace(last)) {
            return new DiskFullException(text + "; free some space and write again", last);
        }
        return new OverloadedException(text + "; write more slowly, or open the store with more checkpointLogBytes");
    }
}
