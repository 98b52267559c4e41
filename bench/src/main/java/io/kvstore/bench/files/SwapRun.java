package io.kvstore.bench.files;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.bench.measure.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Measures look-ups in a table of a store that has a file, alone and while the table gets a file ten times a second.
 *
 * @param run makes the look-ups, and checks them
 * @param home of the store
 */
record SwapRun(FileRun run, Path home) {

    private static final long EVERY_MILLIS = 100;

    void measure(Path file, Consumer<Figures> sink) throws IOException, InterruptedException, ExecutionException {
        try (KVStore store = new KVStore(home.toFile())) {
            store.createDB("bench");
            Table table = store.createTable("bench", "entries", "SEALED");
            table.files().swap(file);
            LookupFile.Open open = new LookupFile.Open() {
                @Override
                public LookupFile.Lookup lookup() {
                    return table::get;
                }

                @Override
                public void close() {
                    // the store is closed by its opener
                }
            };
            run.look(open, 1, true); // brings the compiler to an end
            sink.accept(run.look(open, 1, true).under("GET_IN_STORE"));
            AtomicBoolean ended = new AtomicBoolean();
            try (ExecutorService swapper = Executors.newSingleThreadExecutor()) {
                Future<Integer> swaps = swapper.submit(() -> swap(table, file, ended));
                try {
                    sink.accept(run.look(open, 1, true).under("GET_BESIDE_SWAPS"));
                } finally {
                    ended.set(true);
                }
                sink.accept(new Figures(Map.of("swaps", (double) swaps.get())));
            }
        }
    }

    private static int swap(Table table, Path file, AtomicBoolean ended) throws InterruptedException {
        int swaps = 0;
        while (!ended.get()) {
            table.files().swap(file);
            swaps++;
            TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
        }
        return swaps;
    }
}
