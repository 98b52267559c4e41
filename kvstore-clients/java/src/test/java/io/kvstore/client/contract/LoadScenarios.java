package io.kvstore.client.contract;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.kvstore.client.ClientTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several threads with one client. */
public interface LoadScenarios extends Stage {

    /** More threads than connections. */
    @OnBothEngines
    default void threads_share_a_client(String engine) throws Exception {
        int threads = 8;
        int entries = 200;
        ClientTable table = newTable(engine);
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            String name = "t" + thread + "-";
            tasks.add(() -> putAndGet(table, name, entries));
        }
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (Future<Integer> task : executor.invokeAll(tasks)) {
                assertEquals(entries, task.get());
            }
        } finally {
            executor.shutdownNow();
        }
        assertEquals((long) threads * entries, table.count());
    }

    /** Threads that add to one key lose no addition. */
    @OnBothEngines
    default void threads_add_to_one_key(String engine) throws Exception {
        int threads = 8;
        int additions = 100;
        ClientTable table = newTable(engine);
        Callable<Integer> task = () -> {
            for (int i = 0; i < additions; i++) {
                table.add("n", 1);
            }
            return additions;
        };
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (Future<Integer> each : executor.invokeAll(Collections.nCopies(threads, task))) {
                assertEquals(additions, each.get());
            }
        } finally {
            executor.shutdownNow();
        }
        assertEquals((long) threads * additions, table.add("n", 0));
    }

    private static int putAndGet(ClientTable table, String name, int entries) {
        for (int i = 0; i < entries; i++) {
            table.put(name + i, bytes(name + "value-" + i));
            byte[] value = table.get(name + i);
            assertNotNull(value);
            assertEquals(name + "value-" + i, text(value));
        }
        for (int i = 0; i < entries; i++) {
            byte[] value = table.get(name + i);
            assertNotNull(value);
            assertEquals(name + "value-" + i, text(value));
        }
        return entries;
    }
}
