package io.kvstore.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.rocksdb.RocksDB;

/** The facts about the measuring machine that a reader needs. None of them identifies the machine. */
public final class Machine {

    private Machine() {}

    /** The day and the processor. */
    public static String title() throws IOException {
        return LocalDate.now(ZoneOffset.UTC) + ", " + Runtime.getRuntime().availableProcessors() + " cores of "
                + processor();
    }

    public static List<String> lines() throws IOException {
        RocksDB.loadLibrary();
        return lines("heap 1 GiB; RocksDB " + RocksDB.rocksdbVersion());
    }

    /** @param java further facts about each JVM */
    public static List<String> lines(String java) throws IOException {
        return List.of(
                "- memory: " + first("/proc/meminfo", "MemTotal") + "; " + System.getProperty("os.name") + " "
                        + System.getProperty("os.version"),
                "- disk: " + disk(),
                "- Java " + System.getProperty("java.runtime.version") + ", " + java,
                "- GLIBC_TUNABLES: " + System.getenv().getOrDefault("GLIBC_TUNABLES", "not set")
                        + ", for every subject",
                "- load before the run: " + first("/proc/loadavg", ""));
    }

    private static String processor() throws IOException {
        return first("/proc/cpuinfo", "model name");
    }

    private static String disk() throws IOException {
        return Files.getFileStore(Path.of("").toAbsolutePath()).type().toLowerCase(Locale.ROOT);
    }

    /** The text behind the colon of the first line of a file that starts with {@code begin}. */
    private static String first(String file, String begin) throws IOException {
        Path path = Path.of(file);
        if (!Files.isReadable(path)) {
            return "unknown";
        }
        String line = Files.readAllLines(path).stream()
                .filter(one -> one.startsWith(begin))
                .findFirst()
                .orElse("unknown");
        return line.substring(line.indexOf(':') + 1).strip();
    }
}
