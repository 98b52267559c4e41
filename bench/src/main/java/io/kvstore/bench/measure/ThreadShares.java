package io.kvstore.bench.measure;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Finds what some threads of this process spend their time on, from the system's statistics of them: in their own code, in the
 * system (copies from files and page faults among it), in waiting for the disk, and in waiting for anything else, a processor
 * included. The statistics of a thread are read a hundred times a second, because they end with it. All figures are 0 where
 * the system does not have them. The sampler's own lock guards what it found.
 */
public final class ThreadShares implements AutoCloseable {

    private static final Path TASKS = Path.of("/proc/self/task");
    private static final int PERIOD_MILLIS = 10;

    /** A thread gets its name a moment after it began, so its name is looked at so often. */
    private static final int LOOKS = 20;

    /** The system counts in hundredths of seconds, on all machines that Java runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private final String prefix;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final long begunNanos = System.nanoTime();
    private final long begunCpuNanos = OwnProcess.cpuNanos();
    private final long begunCompileMillis = compileMillis();
    private final long begunReadBytes;
    private final ScheduledFuture<?> ticks;

    /** How often each thread was found to have another name. */
    @GuardedBy("this")
    private final Map<Path, Integer> refused = new HashMap<>();

    @GuardedBy("this")
    private final Map<Path, Stat> last = new HashMap<>();

    @GuardedBy("this")
    private final Map<Path, Stat> first = new HashMap<>();

    @GuardedBy("this")
    private long samples;

    @GuardedBy("this")
    private long disk;

    /** One reading of {@code stat}: faults and hundredths of seconds since the thread began. */
    private record Stat(boolean waitsForDisk, long minorFaults, long majorFaults, long userTicks, long systemTicks) {

        private static final int MINOR_FAULTS = 7;
        private static final int MAJOR_FAULTS = 9;
        private static final int USER = 11;
        private static final int SYSTEM = 12;

        /** Reads the fields behind the thread's name, which is in parentheses and may have spaces. */
        static Stat parse(String line) {
            List<String> fields =
                    List.of(line.substring(line.lastIndexOf(')') + 2).split(" ", -1));
            return new Stat(
                    fields.getFirst().equals("D"),
                    Long.parseLong(fields.get(MINOR_FAULTS)),
                    Long.parseLong(fields.get(MAJOR_FAULTS)),
                    Long.parseLong(fields.get(USER)),
                    Long.parseLong(fields.get(SYSTEM)));
        }
    }

    /** @param prefix the names of the threads begin with it; it has at most 15 characters */
    public ThreadShares(String prefix) throws IOException {
        this.prefix = prefix;
        begunReadBytes = OwnProcess.readBytes();
        Runnable look = Files.isReadable(TASKS) ? this::sample : () -> {};
        ticks = clock.scheduleAtFixedRate(look, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void sample() {
        try (Stream<Path> tasks = Files.list(TASKS)) {
            for (Path task : tasks.toList()) {
                sample(task);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @GuardedBy("this")
    private void sample(Path task) throws IOException {
        try {
            if (last.containsKey(task) || isWanted(task)) {
                Stat now = Stat.parse(Files.readString(task.resolve("stat")));
                first.putIfAbsent(task, now);
                last.put(task, now);
                samples++;
                disk += now.waitsForDisk() ? 1 : 0;
            }
        } catch (NoSuchFileException e) {
            refused.put(task, LOOKS); // it has ended
        } catch (IOException e) {
            if (Files.exists(task)) {
                throw e;
            }
        }
    }

    @GuardedBy("this")
    private boolean isWanted(Path task) throws IOException {
        int looks = refused.getOrDefault(task, 0);
        if (looks == LOOKS) {
            return false;
        }
        refused.put(task, looks + 1);
        return Files.readString(task.resolve("comm")).startsWith(prefix);
    }

    /** The figures since the beginning. Shares are parts of all time of the threads. */
    public synchronized Figures figures() throws IOException {
        if (ticks.state() == Future.State.FAILED) {
            throw new IllegalStateException("the figures are of a part of the time only", ticks.exceptionNow());
        }
        double seconds = (System.nanoTime() - begunNanos) / 1e9;
        double threadSeconds = Math.max(1, samples) * PERIOD_MILLIS / 1e3;
        double user = 0;
        double system = 0;
        long major = 0;
        long minor = 0;
        for (Map.Entry<Path, Stat> entry : last.entrySet()) {
            Stat begin = first.getOrDefault(entry.getKey(), entry.getValue());
            Stat end = entry.getValue();
            user += (end.userTicks() - begin.userTicks()) / TICKS_PER_SECOND;
            system += (end.systemTicks() - begin.systemTicks()) / TICKS_PER_SECOND;
            major += end.majorFaults() - begin.majorFaults();
            minor += end.minorFaults() - begin.minorFaults();
        }
        double diskShare = disk / (double) Math.max(1, samples);
        double cpuSeconds = (OwnProcess.cpuNanos() - begunCpuNanos) / 1e9;
        return new Figures(Map.of())
                .with("userShare", user / threadSeconds)
                .with("systemShare", system / threadSeconds)
                .with("diskShare", diskShare)
                .with("waitShare", Math.max(0, 1 - (user + system) / threadSeconds - diskShare))
                .with("majorFaults", (double) major)
                .with("minorFaults", (double) minor)
                .with("readMiB", (OwnProcess.readBytes() - begunReadBytes) / (double) (1 << 20))
                .with("compileShare", (compileMillis() - begunCompileMillis) / 1e3 / seconds)
                .with("otherProcessors", Math.max(0, cpuSeconds - user - system) / seconds);
    }

    private static long compileMillis() {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
