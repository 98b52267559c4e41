package io.kvstore.bench.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The system's figures of this process. A figure is 0 where the system does not have it. */
public final class OwnProcess {

    private static final Path IO = Path.of("/proc/self/io");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final String WAITS_FOR_DISK = ") D";
    private static final Path CLEAR = Path.of("/proc/self/clear_refs");
    private static final String FORGET_PEAK = "5";

    private OwnProcess() {}

    /** Time that all threads together have spent on processors. */
    public static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    /** Bytes sent to the disk, or to pages that are to be written to it. */
    public static long writtenBytes() throws IOException {
        return number(IO, "write_bytes:");
    }

    /** Bytes that came from the disk. */
    static long readBytes() throws IOException {
        return number(IO, "read_bytes:");
    }

    /** Whether a thread waits for the disk, for example in a sync. */
    public static boolean waitsForDisk() throws IOException {
        if (!Files.isReadable(TASKS)) {
            return false;
        }
        try (Stream<Path> threads = Files.list(TASKS)) {
            return threads.anyMatch(OwnProcess::threadWaitsForDisk);
        }
    }

    private static boolean threadWaitsForDisk(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.startsWith(WAITS_FOR_DISK, stat.lastIndexOf(')'));
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    /** Memory that is not of files: heap, buffers, stacks. */
    public static long anonymousBytes() throws IOException {
        return number(STATUS, "RssAnon:") << 10;
    }

    /** The most memory since {@link #forgetPeak}, including pages of mapped files. */
    public static long peakBytes() throws IOException {
        return number(STATUS, "VmHWM:") << 10;
    }

    /** Memory of all kinds, including pages of mapped files. */
    public static long residentBytes() throws IOException {
        return number(STATUS, "VmRSS:") << 10;
    }

    /** Makes {@link #peakBytes} begin anew, where the system allows it. */
    public static void forgetPeak() throws IOException {
        if (Files.isWritable(CLEAR)) {
            Files.writeString(CLEAR, FORGET_PEAK);
        }
    }

    /** The part of the heap that was ever in use and that the JVM has not given back. It has memory behind it. */
    static long touchedHeapBytes() {
        long touched = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
        return Math.min(
                touched,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted());
    }

    /** The part of the heap that is in use after a collection. */
    public static long liveHeapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** The space that a directory takes on the disk. Holes in files take none. */
    public static long diskBytes(Path directory) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("du", "-sk", directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return Long.parseLong(line.substring(0, line.indexOf('\t'))) << 10;
    }

    private static long number(Path file, String name) throws IOException {
        if (!Files.isReadable(file)) {
            return 0;
        }
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(name)) {
                return Long.parseLong(
                        line.substring(name.length()).replace("kB", "").strip());
            }
        }
        return 0;
    }
}
