package io.kvstore.bench.maps;

import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.OwnProcess;
import io.kvstore.bench.measure.Rest;
import io.kvstore.bench.store.Crowd;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Measures one map in this JVM, and checks every value that it returns.
 *
 * @param kind the map
 * @param keys the kind of the keys
 * @param entries the number of entries
 */
record MapRun(MapKind kind, KeyKind keys, long entries) {

    /** The clock is read once for so many operations, because some take little more time than reading it. */
    private static final int BATCH = 100;

    private static final int WARM_UPS = 2;
    private static final long WARM_UP_ENTRIES = 500_000;
    private static final long FIRST_ENTRIES = 1_000;
    private static final int LOOKED_AT = 1_000;

    /**
     * Runs all kinds of operations.
     *
     * @param sink gets the figures of each
     */
    void run(Consumer<Figures> sink) throws IOException, InterruptedException, ExecutionException {
        MapRun warmUp = new MapRun(kind, keys, Math.min(entries, WARM_UP_ENTRIES));
        for (int time = 1; time <= WARM_UPS; time++) {
            warmUp.runAll(false, figures -> {});
        }
        runAll(true, sink);
    }

    private void runAll(boolean isMeasured, Consumer<Figures> sink)
            throws IOException, InterruptedException, ExecutionException {
        try (LongMap map = kind.open(entries)) {
            for (MapWork work : MapWork.values()) {
                if (work == MapWork.INSERT || work == MapWork.REINSERT || work == MapWork.PUT) {
                    checkEmpty(map.map());
                }
                if (isMeasured) {
                    System.gc(); // the garbage of the last work is not this one's
                }
                double seconds = work(map, work).seconds();
                sink.accept(new Figures(Map.of("opsPerSecond", entries / seconds)).under(work.name()));
            }
        }
    }

    /**
     * Fills a map, and measures the memory that it takes then.
     *
     * @param quietMillis memory is read when the process was at rest for so long
     */
    Figures memory(long quietMillis) throws IOException, InterruptedException, ExecutionException {
        new MapRun(kind, keys, Math.min(entries, FIRST_ENTRIES)).runAll(false, figures -> {});
        long before = restingBytes(quietMillis);
        try (LongMap map = kind.open(entries)) {
            work(map, MapWork.INSERT);
            long after = restingBytes(quietMillis);
            Figures figures = new Figures(Map.of("residentBytes", (double) (after - before) / entries))
                    .with("ownBytes", (double) map.ownBytes() / entries);
            work(map, MapWork.READ);
            return figures;
        }
    }

    /** The resident set after a collection, at rest: the JVM gives memory back in pieces. */
    private static long restingBytes(long quietMillis) throws IOException {
        OwnProcess.liveHeapBytes();
        Rest.await(quietMillis);
        OwnProcess.liveHeapBytes();
        Rest.await(quietMillis);
        return OwnProcess.residentBytes();
    }

    private Crowd.Done work(LongMap map, MapWork work) throws InterruptedException, ExecutionException {
        return new Crowd(work.threads())
                .work(
                        (entries + BATCH - 1) / BATCH,
                        Long.MAX_VALUE,
                        thread -> new Batches(new MapSteps(this, map, thread), work));
    }

    /** The steps of a thread, so many at a time. */
    private record Batches(MapSteps steps, MapWork work) implements Crowd.Steps {
        @Override
        public void step(long number) {
            steps.work(work, number * BATCH, (number + 1) * BATCH);
        }

        @Override
        public void close() {
            // The map is closed by its opener.
        }
    }

    private void checkEmpty(Map<Long, Long> map) {
        for (long i = 0; i < LOOKED_AT; i++) {
            long number = i * entries / LOOKED_AT;
            Long found = map.get(keys.key(number));
            if (found != null) {
                throw new IllegalStateException("entry " + number + " has the value " + found + " in an empty map");
            }
        }
    }
}
