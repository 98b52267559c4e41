package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What surrounds a store is no input: the locale, the charset, the time zone, how many files the system opens. With one
 * engine.
 */
public abstract class EnvironmentContract {

    private static final int MOST_OUTPUT_CHARS = 2_000;
    private static final int MOST_LEFT = 8;
    private static final int PUTS = 100;
    private static final int LARGE_BYTES = 3_000;

    @TempDir
    private Path temp;

    /** The engine of the tables, with parameters under which little data makes many files. */
    protected abstract StoreScenario.Engine engine();

    /** One process under other defaults takes part, since names may be made once in the life of a process. */
    @Test
    void stores_are_the_same_under_every_locale_charset_and_time_zone() throws Exception {
        EnvironmentProcess.make(temp.resolve("given"), engine());
        assertEquals("", foreign(EnvironmentProcess.LOCALES.getFirst()));
        int rounds = 1 + EnvironmentProcess.LOCALES.size();
        EnvironmentProcess.goOn(temp.resolve("given"), rounds);
        for (String locale : EnvironmentProcess.LOCALES) {
            EnvironmentProcess.goOn(temp.resolve(locale), 2);
        }
    }

    /**
     * A store whose process runs out of descriptors, with some left and in any state of its files: what needs one is refused,
     * nothing is called a full disk, nothing fails for good, and when there are some again all goes on.
     */
    @ParameterizedTest
    @EnumSource(Durability.class)
    void what_finds_no_descriptor_is_refused_and_passes(Durability durability) {
        SimStorage disk = new SimStorage();
        FewDescriptors storage = new FewDescriptors(disk);
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        KVStoreOptions options = options(storage, durability).withClock(clock).withBackground(background);
        int written = 0;
        try (KVStore store = new KVStore(temp, options)) {
            store.createDB("d");
            Table table = store.createTable("d", "t", engine().name(), EnvironmentProcess.properties(engine()));
            for (int left = 0; left <= MOST_LEFT; left++) {
                written = put(table, written, PUTS);
                storage.leave(left);
                int refused = storage.refused();
                passes(() -> table.put(key(-1), new byte[LARGE_BYTES]));
                passes(table::flush);
                passes(store::checkpoint);
                passes(() -> store.createTable("d", "other", engine().name()));
                background.runAll();
                assertTrue(left > 0 || storage.refused() > refused, "nothing needed a descriptor");
                storage.release();
                assertNull(store.failure(), "with " + left + " left");
                written = put(table, written, PUTS);
                table.flush();
                store.checkpoint();
                if (store.tables("d").contains("other")) {
                    store.dropTable("d", "other");
                }
            }
        }
        try (KVStore store = new KVStore(temp, options(disk, durability))) {
            Table table = store.table("d", "t");
            table.remove(key(-1));
            assertEquals(written, table.count(KeyRange.all()));
        }
        assertEquals(0, disk.openResources());
    }

    private static int put(Table table, int from, int count) {
        for (int i = from; i < from + count; i++) {
            table.put(key(i), new byte[i % 5 == 0 ? LARGE_BYTES : 100]);
        }
        return from + count;
    }

    private static byte[] key(int number) {
        return ("key" + number).getBytes(StandardCharsets.UTF_8);
    }

    /** It is done, or refused in words that are true. */
    private static void passes(Executable call) {
        try {
            call.execute();
        } catch (DiskFullException | StoreFailedException e) {
            throw new AssertionError(e);
        } catch (StorageException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("too many open files"), e.getMessage());
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static KVStoreOptions options(Storage storage, Durability durability) {
        StepClock clock = new StepClock();
        return KVStoreOptions.defaults()
                .withStorage(storage)
                .withClock(clock)
                .withBackground(new StepBackground(clock))
                .withDurability(durability)
                .withWalSegmentBytes(64 << 10)
                .withCheckpointLogBytes(256 << 10)
                .withMemoryBytes(64 << 20);
    }

    /** What the process had to say; it says nothing when all is well. */
    private String foreign(String locale) throws IOException, InterruptedException {
        String[] parts = locale.split("-", 2);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Duser.language=" + parts[0],
                "-Duser.country=" + parts[1],
                "-Duser.timezone=Asia/Kathmandu",
                "-Dfile.encoding=COMPAT",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                EnvironmentProcess.class.getName(),
                temp.toString(),
                engine().name()));
        engine().parameters().forEach((name, value) -> command.addAll(List.of(name, String.valueOf(value))));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.put("LC_ALL", "C");
        environment.remove("JAVA_TOOL_OPTIONS");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        return status == 0 ? "" : output.substring(0, Math.min(output.length(), MOST_OUTPUT_CHARS));
    }
}
