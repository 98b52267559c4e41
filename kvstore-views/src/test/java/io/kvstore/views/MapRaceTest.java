package io.kvstore.views;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of several threads, each as a whole. */
@Tag("races")
final class MapRaceTest {

    private static final int THREADS = 2;
    private static final int MERGES = 50_000;
    private static final int ENTRIES = 3_000;

    /** Runs a task in each thread, and gives what they return. */
    private static <T> List<T> inThreads(int threads, Callable<T> task)
            throws InterruptedException, ExecutionException {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<T>> running = executor.invokeAll(Collections.nCopies(threads, task));
            List<T> results = new ArrayList<>();
            for (Future<T> result : running) {
                results.add(result.get());
            }
            return results;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSM", "BPLUS"})
    void no_merge_is_lost(String engine) throws Exception {
        try (Tables tables = new Tables(engine)) {
            TableMap<String, Long> map = TableMap.of(tables.next(), Codecs.STRING, Codecs.LONG);
            inThreads(THREADS, () -> {
                for (int i = 0; i < MERGES; i++) {
                    map.merge("count", 1L, Long::sum);
                }
                return null;
            });
            assertEquals(Map.of("count", (long) THREADS * MERGES), map);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSM", "BPLUS"})
    void an_entry_is_polled_once(String engine) throws Exception {
        try (Tables tables = new Tables(engine)) {
            TableMap<Integer, Integer> map = TableMap.of(tables.next(), Codecs.INT, Codecs.INT);
            IntStream.range(0, ENTRIES).forEach(i -> map.set(i, i));
            List<List<Integer>> polled = inThreads(4, () -> {
                List<Integer> mine = new ArrayList<>();
                for (Map.Entry<Integer, Integer> entry = map.pollFirstEntry();
                        entry != null;
                        entry = map.pollFirstEntry()) {
                    mine.add(entry.getKey());
                }
                return mine;
            });
            assertTrue(map.isEmpty());
            polled.forEach(mine -> assertEquals(mine.stream().sorted().toList(), mine));
            assertEquals(
                    IntStream.range(0, ENTRIES).boxed().toList(),
                    polled.stream().flatMap(List::stream).sorted().toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSM", "BPLUS"})
    void one_thread_is_the_first(String engine) throws Exception {
        try (Tables tables = new Tables(engine)) {
            TableMap<Integer, Long> map = TableMap.of(tables.next(), Codecs.INT, Codecs.LONG);
            Set<Integer> won = ConcurrentHashMap.newKeySet();
            inThreads(4, () -> {
                long me = Thread.currentThread().threadId();
                for (int i = 0; i < ENTRIES; i++) {
                    if (Objects.equals(map.computeIfAbsent(i, key -> me), me)) {
                        assertTrue(won.add(i), "two have won");
                    }
                    assertEquals(map.get(i), map.putIfAbsent(i, -1L));
                }
                return null;
            });
            assertEquals(ENTRIES, won.size());
            assertEquals(ENTRIES, map.size());
        }
    }

    /** A key that is there all the time is seen by each walk, whatever comes and goes around it. */
    @ParameterizedTest
    @ValueSource(strings = {"LSM", "BPLUS"})
    void a_walk_beside_writers_sees_what_stays(String engine) throws Exception {
        try (Tables tables = new Tables(engine)) {
            TableMap<Integer, Integer> map = TableMap.of(tables.next(), Codecs.INT, Codecs.INT);
            List<Integer> stay =
                    IntStream.range(0, ENTRIES).map(i -> 3 * i).boxed().toList();
            stay.forEach(key -> map.set(key, key));
            List<List<Integer>> seen = inThreads(4, () -> {
                List<Integer> walked = new ArrayList<>();
                for (int i = 0; i < ENTRIES; i++) {
                    map.merge(3 * i + 1, 1, (left, right) -> null);
                    map.remove(3 * (ENTRIES - i) - 1);
                }
                map.keySet().forEach(walked::add);
                return walked;
            });
            for (List<Integer> walked : seen) {
                assertEquals(walked.stream().sorted().distinct().toList(), walked);
                assertEquals(stay, walked.stream().filter(key -> key % 3 == 0).toList());
            }
        }
    }
}
