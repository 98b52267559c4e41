package io.kvstore.durability;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Why a store, or a table of it, cannot be opened is told, whatever fails when the rest is closed. */
final class FailedOpeningTest {

    private static final int STALL_MILLIS = 1_000;

    /** After a kill, with a table whose entry is in the log only. */
    private static SimStorage killed() {
        SimStorage disk = new SimStorage();
        try (KVStore store = new KVStore(
                Path.of("unused"), KVStoreOptions.defaults().withStorage(disk).withMemoryBytes(64 << 20))) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "MODEL");
            table.put("a", new byte[1]);
            return disk.kill();
        }
    }

    private static void failClosing(String method) throws IOException {
        if (method.equals("close")) {
            throw new IOException("the second");
        }
    }

    @Test
    void the_reason_is_thrown_and_not_what_fails_afterwards() throws IOException {
        SimStorage disk = killed();
        IOException thrown = assertThrows(
                IOException.class,
                () -> WatchedEngine.open(disk, STALL_MILLIS, (method, _) -> {
                    if (method.equals("recovered")) {
                        throw new IOException("the first");
                    }
                    failClosing(method);
                }));
        assertEquals("the first", thrown.getMessage());
        assertEquals(0, disk.openResources());
    }

    /** It fails alone. */
    @Test
    void a_damaged_table_that_cannot_be_closed_keeps_no_store_from_opening() throws IOException {
        SimStorage disk = killed();
        try (OpenStore store = WatchedEngine.open(disk, STALL_MILLIS, (method, _) -> {
            if (method.equals("Replay.add")) {
                throw new CorruptionException("file", 0, "damaged");
            }
            failClosing(method);
        })) {
            OpenTable table = requireNonNull(store.find("db", "t"));
            assertInstanceOf(CorruptionException.class, table.failure());
        }
        assertEquals(0, disk.openResources());
    }
}
