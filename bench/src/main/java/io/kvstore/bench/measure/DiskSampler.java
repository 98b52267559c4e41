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

/** Samples the sizes of a store's files up to fifty times a second and keeps the greatest sums. */
public final class DiskSampler implements AutoCloseable {

    private static final int PERIOD_MILLIS = 20;

    /** In this time a store writes a megabyte or two. */
    private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int TRIES = 8;

    private final Path directory;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> ticks;
    private final AtomicLong mostTables = new AtomicLong();
    private final AtomicLong mostLog = new AtomicLong();

    /** @param directory the directory of the store */
    public DiskSampler(Path directory) {
        this.directory = directory;
        ticks = clock.scheduleWithFixedDelay(this::sample, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void sample() {
        mostTables.accumulateAndGet(bytesOfMoment(directory.resolve("tables")), Math::max);
        mostLog.accumulateAndGet(bytesOfMoment(directory.resolve("wal")), Math::max);
    }

    /**
     * The size of the files at one moment. A longer look could count files that were deleted and also the files that replaced
     * them, so it is repeated. If all looks are too long, the least of their sums counts.
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

    /** The size of all files of a directory. A file that is deleted meanwhile counts as it was found, or not at all. */
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

    /** The largest size of the files of tables. */
    public long mostTables() {
        return mostTables.get();
    }

    /** The largest size of the log. */
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
