package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.server.CounterProcess.Counts;
import io.kvstore.testkit.Sweeps;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process with SIGKILL again and again while its threads add to one key of each table. The process that opens the store
 * after a kill checks that each number is at least the count of acknowledged additions, and at most that of those that were
 * tried.
 */
final class CounterKillTest {

    private static final int KILLS = Sweeps.count(4, 10);
    private static final long SEED = Long.getLong("kv.kill.seed", 1);

    /** How many additions a table acknowledges before the process is killed, at least. */
    private static final int ADDITIONS = 20;

    private static final int LONGEST_SECONDS = 120;

    @TempDir
    private Path temp;

    private final Random random = new Random(SEED);

    @Test
    void a_killed_counter_has_every_acknowledged_addition_and_no_other() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            Counts counts = Counts.of(temp.resolve("counts"), arena);
            for (int kill = 0; kill < KILLS; kill++) {
                runAndKill(counts);
            }
            try (KVStore store = new KVStore(temp.resolve("data"), KVStoreOptions.defaults())) {
                for (int place = 0; place < CounterProcess.TABLES.size(); place++) {
                    assertTrue(counts.acknowledged(place) >= KILLS * ADDITIONS);
                    CounterProcess.check(store.table("d", CounterProcess.TABLES.get(place)), counts, place);
                }
            }
        }
    }

    private void runAndKill(Counts counts) throws IOException, InterruptedException {
        Path output = temp.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CounterProcess.class.getName(),
                        temp.resolve("data").toString(),
                        temp.resolve("counts").toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
            for (int place = 0; place < CounterProcess.TABLES.size(); place++) {
                long enough = counts.acknowledged(place) + ADDITIONS;
                while (counts.acknowledged(place) < enough) {
                    assertTrue(System.nanoTime() - end < 0, CounterProcess.TABLES.get(place) + " stands still");
                    runFor(process, 5, output);
                }
            }
            runFor(process, 1 + random.nextInt(100), output);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Lets it run for a while; it must not end by itself. */
    private static void runFor(Process process, long millis, Path output) throws IOException, InterruptedException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            fail("it ended by itself: " + Files.readString(output, StandardCharsets.UTF_8));
        }
    }
}
