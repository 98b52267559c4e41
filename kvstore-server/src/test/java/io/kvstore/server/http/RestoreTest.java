package io.kvstore.server.http;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.data.KeyRange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A database with tables of every engine comes back while it is written. */
final class RestoreTest {

    private static final List<String> WRITTEN = List.of("lsm", "bplus", "hash");
    private static final int ENTRIES = 3_000;

    @TempDir
    private Path directory;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Some values are kept apart. */
    private static byte[] value(String of, int i) {
        return bytes((of + i).repeat(i % 100 == 0 ? 2_000 : 5));
    }

    private static void create(KVStore store) {
        store.createDB("shop");
        for (String engine : WRITTEN) {
            Table table = store.createTable("shop", engine, engine);
            for (int i = 0; i < ENTRIES; i++) {
                table.put(bytes("k" + i), value(engine, i));
            }
        }
        Properties noLog = new Properties();
        noLog.put(TableConfParamsEnum.ENABLE_WAL, false);
        store.createTable("shop", "no-log", "lsm", noLog).put("k", bytes("v"));
        Table sealed = store.createTable("shop", "sealed", "sealed");
        try (Cursor entries = store.table("shop", "lsm").scan(KeyRange.all())) {
            sealed.files().fill(entries);
        }
        store.createTable("shop", "sealed-empty", "sealed");
        store.createTable("shop", "empty", "bplus");
    }

    private static void assertAsItWas(KVStore store, String database) {
        assertEquals(
                List.of("bplus", "empty", "hash", "lsm", "no-log", "sealed", "sealed-empty"), store.tables(database));
        for (String engine : WRITTEN) {
            assertEntries(store.table(database, engine), engine);
        }
        assertEntries(store.table(database, "sealed"), "lsm");
        assertEquals(1, store.table(database, "no-log").count(KeyRange.all()));
        assertEquals(
                "false", store.table(database, "no-log").properties().asMap().get("ENABLE_WAL"));
        assertNull(store.table(database, "sealed-empty").files().info());
        assertEquals(0, store.table(database, "empty").count(KeyRange.all()));
        assertEquals(0, store.verify().total());
    }

    private static void assertEntries(Table table, String of) {
        assertEquals(ENTRIES, table.count(KeyRange.all()));
        for (int i = 0; i < ENTRIES; i++) {
            assertArrayEquals(value(of, i), table.get(bytes("k" + i)));
        }
    }

    private static String fileId(Table sealed) {
        return requireNonNull(sealed.files().info()).id();
    }

    private static JsonNode run(TestServer server, String body) throws Exception {
        String path = server.post("/v1/operations", body).expect(202).header("Location");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        JsonNode operation = server.get(path).json();
        while (operation.get("state").stringValue().equals("running") && System.nanoTime() - end < 0) {
            operation = server.get(path).json();
        }
        assertEquals("done", operation.get("state").stringValue(), operation.toString());
        return operation;
    }

    @Test
    void every_engine_comes_back_under_load() throws Exception {
        Path data = directory.resolve("store");
        try (TestServer server = new TestServer(data)) {
            KVStore store = server.store();
            create(store);
            String sealedId = fileId(store.table("shop", "sealed"));
            store.checkpoint();
            run(server, "{\"kind\":\"backup\"}");
            AtomicBoolean stopped = new AtomicBoolean();
            AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
            Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; !stopped.get(); i++) {
                        String engine = WRITTEN.get(i % WRITTEN.size());
                        store.table("shop", engine).put(bytes("k" + i % ENTRIES), bytes("other"));
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            writer.start();
            try {
                run(server, "{\"kind\":\"restore\",\"backup\":1,\"database\":\"shop\",\"restored_as\":\"shop_old\"}");
            } finally {
                stopped.set(true);
                writer.join();
            }
            assertNull(failure.get());
            assertAsItWas(store, "shop_old");
            assertEquals(sealedId, fileId(store.table("shop_old", "sealed")), "the file was copied as it is");
            assertTrue(store.table("shop", "lsm").count(KeyRange.all()) >= ENTRIES);
        }
        try (TestServer server = new TestServer(data)) {
            assertAsItWas(server.store(), "shop_old");
        }
    }
}
