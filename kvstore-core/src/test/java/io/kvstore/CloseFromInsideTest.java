package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who closes a store from inside one of its calls is told at once, and a fresh volume holds nothing. */
final class CloseFromInsideTest {

    @TempDir
    private Path temp;

    private KVStore filled() {
        KVStore store = new KVStore(temp, KVStoreOptions.defaults().withMemoryBytes(16 << 20));
        store.createDB("d");
        Table table = store.createTable("d", "t", "MODEL");
        table.put("a", new byte[1]);
        table.put("b", new byte[1]);
        return store;
    }

    @Test
    @SuppressWarnings("try") // to close in the middle is what is tested
    void a_visitor_cannot_close_the_store() {
        int visited = 0;
        try (KVStore store = filled();
                KVStore other = new KVStore(temp.resolve("other"), KVStoreOptions.defaults())) {
            Table table = store.table("d", "t");
            try (Cursor cursor = table.scan(KeyRange.all())) {
                InvalidRequestException refusal = assertThrows(
                        InvalidRequestException.class,
                        () -> cursor.visit((key, value) -> {
                            store.close();
                            return true;
                        }));
                assertTrue(String.valueOf(refusal.getMessage()).contains("inside"), refusal.getMessage());
            }
            try (Cursor cursor = table.scan(KeyRange.all())) {
                cursor.visit((key, value) -> {
                    other.close();
                    return true;
                });
            }
            visited += (int) table.count(KeyRange.all());
        }
        assertEquals(2, visited);
    }

    /** The hook that closes the store would wait for the visitor, which waits for the hook. */
    @Test
    void a_visitor_can_end_the_process() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                EndsInside.class.getName(),
                temp.toString());
        Path output = temp.resolveSibling(temp.getFileName() + ".out");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(120, TimeUnit.SECONDS), "the process hangs");
            String printed = Files.readString(output, StandardCharsets.UTF_8);
            assertEquals(7, process.exitValue(), printed);
            assertTrue(printed.contains("ends the process from inside a call"), printed);
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(output);
        }
        try (KVStore store = new KVStore(temp, KVStoreOptions.defaults())) {
            assertEquals(List.of("d"), store.databases());
        }
    }

    /** A program that ends inside a visitor. */
    static final class EndsInside {

        private EndsInside() {}

        /** Arguments: the directory. */
        @SuppressWarnings("SystemExitOutsideMain") // it is main that shows it to a visitor
        public static void main(String[] arguments) {
            KVStore store =
                    new KVStore(Path.of(arguments[0]), KVStoreOptions.defaults().withMemoryBytes(16 << 20));
            store.createDB("d");
            Table table = store.createTable("d", "t", "MODEL");
            table.put("a", new byte[1]);
            Runtime.getRuntime().addShutdownHook(new Thread(store::close));
            try (Cursor cursor = table.scan(KeyRange.all())) {
                cursor.visit((key, value) -> {
                    System.exit(7);
                    return false;
                });
            }
        }
    }

    @Test
    void a_fresh_volume_is_an_empty_directory() throws Exception {
        Path found = Files.createDirectory(temp.resolve("lost+found"));
        filled().close();
        assertTrue(Files.isDirectory(found));
        Path other = temp.resolve("volume");
        Files.createDirectories(other.resolve("lost+found"));
        Files.createFile(other.resolve("lost+found/file"));
        assertThrows(InvalidRequestException.class, () -> new KVStore(other, KVStoreOptions.defaults()));
    }
}
