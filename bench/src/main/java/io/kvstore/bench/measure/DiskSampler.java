package io.kvstore.bench.measure;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Looks at the files of a store fifty times a second and keeps the greatest sums. */
public final class DiskSampler implements AutoCloseable {

    private static final int PERIOD_MILLIS = 20;

    /** In that time a store writes a megabyte or two. */
    private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int TRIES = 8;

    private final Path directory;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> ticks;
    private final AtomicLong mostTables = new AtomicLong();
    private final AtomicLong mostLog = new AtomicLong();

    /** @param directory of the store */
    public DiskSampler(Path directory) {
        this.directory = directory;
        ticks = clock.scheduleWithFixedDelay(this::sample, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sample() {
        mostTables.accumulateAndGet(bytesOfMoment(directory.resolve("tables")), Math::max);
        mostLog.accumulateAndGet(bytesOfMoment(directory.resolve("wal")), Math::max);
    }

    /**
     * What the files have at one moment. A longer look counts some that have gone beside those that came in their place: it
     * is taken again, and at last the least of these sums counts.
     */
    private static long bytesOfMoment(Path directory) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            long begun = System.nanoTime();
            long bytes = bytes(directory);
            if (System.nanoTime() - begun <= MOMENT_NANOS) {
                return bytes;
            }
            least = Math.min(least, bytes);
        }
        return least;
    }

    /** What the files of a directory have together; those that go meanwhile count as they were met, or not at all. */
    public static long bytes(Path directory) {
        AtomicLong sum = new AtomicLong();
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    sum.addAndGet(attributes.size());
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                    if (failure instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE;
                    }
                    throw failure;
                }
            });
        } catch (IOException e) {
            throw new IllegalStateException("the files of the store cannot be looked at", e);
        }
        return sum.get();
    }

    /** The most that files of tables had. */
    public long mostTables() {
        return mostTables.get();
    }

    /** The most that the log had. */
    public long mostLog() {
        return mostLog.get();
    }

    @Override
    public void close() {
        boolean failed = ticks.state() == Future.State.FAILED;
        clock.close();
        if (failed) {
            throw new IllegalStateException("the figures are of a part of the time only", ticks.exceptionNow());
        }
    }
}
