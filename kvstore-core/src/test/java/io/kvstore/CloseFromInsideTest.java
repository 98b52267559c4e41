package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.error.InvalidRequestException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who closes a store from inside one of its calls is told at once, and a fresh volume holds nothing. */
final class CloseFromInsideTest {

    @TempDir
    private Path temp;

    private KVStore filled() {
        KVStore store = new KVStore(temp, KVStoreOptions.defaults().withMemoryBytes(16 << 20));
        store.createDB("d");
        Table table = store.createTable("d", "t", "MEMORY");
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
