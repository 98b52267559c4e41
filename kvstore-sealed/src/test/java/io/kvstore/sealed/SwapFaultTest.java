package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyRange;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.ClosingStore;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Swaps during which operations of the storage fail, or power does. */
final class SwapFaultTest {

    @TempDir
    private Path directory;

    private Path build(String value) {
        Path file = directory.resolve(value + ".sealed");
        try (TableFileBuilder builder = TableFileBuilder.create(file)) {
            for (int i = 0; i < 100; i++) {
                builder.put("key" + i, value.getBytes(StandardCharsets.UTF_8));
            }
            builder.finish();
        }
        return file;
    }

    private static KVStore open(Storage storage) {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withMemoryBytes(32 << 20)
                        .withWalSegmentBytes(256 << 10)
                        .withStorage(storage));
    }

    private static Table create(KVStore store) {
        store.createDatabaseIfAbsent("db");
        return store.createTable("db", "t", "SEALED", new Properties());
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "absent" : new String(bytes, StandardCharsets.UTF_8);
    }

    /** The table has one of the two files afterwards, whole, whatever failed; only one that failed late is the new one. */
    @Test
    void any_operation_of_a_swap_fails_once() throws IOException {
        Path one = build("one");
        Path two = build("two");
        int failures = 0;
        int unknown = 0;
        for (long at = 0; ; at++) {
            SimStorage disk = new SimStorage();
            FaultyStorage faulty = new FaultyStorage(disk);
            boolean isDone = false;
            boolean hasFailed;
            try (KVStore store = open(faulty)) {
                Table table = create(store);
                table.files().swap(one);
                Map<Operation, Long> before = faulty.failures();
                faulty.arm(FaultPlan.ioError(at));
                try {
                    table.files().swap(two);
                    isDone = true;
                } catch (OutcomeUnknownException e) {
                    unknown++;
                } catch (KVStoreException e) {
                    failures++;
                    assertEquals("one", text(table.get("key1")));
                }
                faulty.disarm();
                hasFailed = !faulty.failures().equals(before);
            }
            try (KVStore store = open(disk)) {
                Table table = store.table("db", "t");
                String value = text(table.get("key1"));
                assertTrue(value.equals("two") || (!isDone && value.equals("one")), value);
                assertEquals(100, table.count(KeyRange.all()));
                assertEquals(List.of(), table.verify().kept());
                assertEquals(1, disk.list("tables").size());
            }
            if (!hasFailed) {
                break;
            }
        }
        assertTrue(failures > 10 && unknown > 0, failures + " failures, " + unknown + " unknown");
    }

    /** After a crash the table has its old file or its new one, whole, and nothing else is left. */
    @Test
    void power_cut_at_every_operation_of_a_swap() throws IOException {
        SimStorage disk = new SimStorage();
        Path one = build("one");
        Path two = build("two");
        List<SimStorage> crashed = new ArrayList<>();
        try (KVStore store = open(disk)) {
            Table table = create(store);
            table.files().swap(one);
            disk.observe(() -> {
                for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 1, disk.operations())) {
                    crashed.add(disk.crash(choice));
                }
                crashed.add(disk.kill());
            });
            table.files().swap(two);
            disk.observe(() -> {});
        }
        assertTrue(crashed.size() > 50, crashed.size() + " crashes");
        int[] found = new int[2];
        for (SimStorage left : crashed) {
            try (KVStore store = open(left)) {
                Table table = store.table("db", "t");
                String value = text(table.get("key1"));
                found[value.equals("one") ? 0 : 1]++;
                assertEquals(List.of(), table.verify().kept());
                assertEquals(100, table.count(KeyRange.all()));
                assertTrue(value.equals("one") || value.equals("two"), value);
                assertEquals(1, left.list("tables").size());
            }
            assertEquals(0, left.openResources());
        }
        assertTrue(found[0] > 0 && found[1] > 0, found[0] + " old, " + found[1] + " new");
    }

    /** The file is read whole before the table gets it, which takes minutes for a large one. */
    @Test
    void closing_the_store_ends_the_check_of_a_new_file() throws Exception {
        Path one = build("one");
        Path two = build("two");
        SimStorage disk = new SimStorage();
        AtomicReference<@Nullable Runnable> atNextSync = new AtomicReference<>();
        Storage hooked = HookedStorage.over(disk, (name, path, proceed) -> {
            Runnable first = name.equals("sync") && path.startsWith("tables/") ? atNextSync.getAndSet(null) : null;
            if (first != null) {
                first.run();
            }
            return proceed.call();
        });
        KVStore store = open(hooked);
        Thread closer = new Thread(store::close);
        try {
            Table table = create(store);
            table.files().swap(one);
            atNextSync.set(() -> {
                closer.start();
                ClosingStore.awaitRefusal(store);
            });
            StoreClosedException ended =
                    assertThrows(StoreClosedException.class, () -> table.files().swap(two));
            assertEquals("the store was closed while giving table t another file", ended.getMessage());
        } finally {
            closer.join();
            store.close();
        }
        assertEquals(0, disk.openResources());
        try (KVStore again = open(disk)) {
            assertEquals("one", text(again.table("db", "t").get("key1")));
            assertEquals(1, disk.list("tables").size());
        }
    }
}
