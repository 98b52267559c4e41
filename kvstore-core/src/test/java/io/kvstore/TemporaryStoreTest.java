package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.testkit.SimStorage;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link KVStore#temporary}: processes that end, are killed and live on. */
final class TemporaryStoreTest {

    private final Path place;
    private final List<Process> started = new ArrayList<>();

    TemporaryStoreTest(@TempDir Path place) {
        this.place = place;
    }

    @AfterEach
    void endAll() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
        }
    }

    /** Run in another process: opens a temporary store, says where, and closes it when its input ends. */
    public static final class Owner {
        private Owner() {}

        /** Prints the path of the store's files. */
        public static void main(String[] arguments) throws IOException {
            try (KVStore store = KVStore.temporary()) {
                store.createDB("db");
                store.createTable("db", "t", "model").put("a", new byte[] {1});
                try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
                    out.write((store.parts().storage() + "\n").getBytes(StandardCharsets.UTF_8));
                    while (System.in.read() >= 0) {
                        // until the parent closes the pipe
                    }
                }
            }
        }
    }

    private Process start() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + place,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(process);
        return process;
    }

    private static Path filesOf(Process owner) throws IOException {
        BufferedReader answers = owner.inputReader(StandardCharsets.UTF_8);
        Path files = Path.of(answers.readLine());
        assertTrue(Files.exists(files.resolve("CATALOG")), files.toString());
        return files;
    }

    private List<Path> all() throws IOException {
        try (Stream<Path> found = Files.list(place)) {
            return found.toList();
        }
    }

    @Test
    void what_a_killed_process_left_goes_with_the_next_store_and_what_lives_stays() throws Exception {
        Process living = start();
        Path kept = filesOf(living);
        Process killed = start();
        Path left = filesOf(killed);
        assertEquals(2, all().size());
        killed.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
        assertTrue(Files.exists(left.resolve("CATALOG")), "nobody has removed it yet");
        Process next = start();
        Path another = filesOf(next);
        assertFalse(Files.exists(left.getParent()), "what the killed process left");
        assertTrue(Files.exists(kept.resolve("CATALOG")), "the store of a process that lives");
        next.outputWriter(StandardCharsets.UTF_8).close();
        assertTrue(next.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, next.exitValue());
        assertFalse(Files.exists(another.getParent()), "the store was closed");
        living.outputWriter(StandardCharsets.UTF_8).close();
        assertTrue(living.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, living.exitValue());
        assertEquals(List.of(), all());
    }

    @Test
    void closing_deletes_the_directory() {
        KVStore store = KVStore.temporary();
        Path files = Path.of(store.parts().storage().toString());
        assertTrue(Files.exists(files.resolve("CATALOG")));
        store.createDB("db");
        Table table = store.createTable("db", "t", "model");
        table.put("a", new byte[] {1});
        assertTrue(table.properties().flag("ENABLE_WAL"), "it is a store like others while it is open");
        store.checkpoint();
        assertArrayEquals(new byte[] {1}, table.get("a"));
        assertEquals(0, store.stats().memoryStorageLimitBytes());
        store.close();
        store.close();
        assertThrows(StoreClosedException.class, () -> table.get("a"));
        assertFalse(Files.exists(files.getParent()));
    }

    @Test
    void options_that_make_no_sense_are_refused() {
        KVStoreOptions readOnly = KVStoreOptions.defaults().withReadOnly(true);
        KVStoreOptions elsewhere = KVStoreOptions.defaults().withStorage(new SimStorage());
        assertThrows(InvalidRequestException.class, () -> KVStore.temporary(readOnly));
        assertThrows(InvalidRequestException.class, () -> KVStore.temporary(elsewhere));
    }
}
