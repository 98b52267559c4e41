package io.kvstore.bench.files;

import io.kvstore.bench.measure.DiskSampler;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.Crowd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Measures one format in this JVM, and checks every value that it returns.
 *
 * @param kind the format
 * @param entries the number of entries
 * @param lookups how often each thread looks a key up
 */
record FileRun(FileKind kind, int entries, int lookups) {

    /** The clock is read once for so many operations, because some take little more time than reading it. */
    private static final int BATCH = 100;

    private static final int WARM_UP_ENTRIES = 200_000;
    private static final int FOUR = 4;
    private static final int SCAN_ENTRIES = 100;

    /** Runs all, twice over few entries before it counts. */
    void run(Path directory, Consumer<Figures> sink) throws IOException, InterruptedException, ExecutionException {
        FileRun warmUp = new FileRun(kind, Math.min(entries, WARM_UP_ENTRIES), lookups);
        for (int i = 0; i < 2; i++) {
            warmUp.measure(Files.createDirectories(directory.resolve("warm" + i)), figures -> {});
        }
        measure(directory, sink);
    }

    private void measure(Path directory, Consumer<Figures> sink)
            throws IOException, InterruptedException, ExecutionException {
        if (kind.isOurs()) {
            Path sorted = Files.createDirectories(directory.resolve("sorted"));
            sink.accept(rate("BUILD_SORTED", entries, build(sorted, inOrder())));
        }
        Path built = Files.createDirectories(directory.resolve("built"));
        sink.accept(rate("BUILD", entries, build(built, null)));
        if (kind.file().isSizeTold()) {
            sink.accept(new Figures(Map.of("bytesPerEntry", (double) DiskSampler.bytes(built) / entries)));
        }
        try (LookupFile.Open open = kind.file().open(built)) {
            look(open, 1, true); // brings the file into memory, and the compiler to an end
            sink.accept(look(open, 1, true).under("GET_1"));
            sink.accept(look(open, FOUR, true).under("GET_4"));
            sink.accept(look(open, 1, false).under("ABSENT_1"));
            scan(open, sink);
        }
        if (kind == FileKind.KVSTORE) {
            new SwapRun(this, directory.resolve("store")).measure(built.resolve(SealedLookups.NAME), sink);
        }
    }

    static Figures rate(String name, long operations, double seconds) {
        return new Figures(Map.of("opsPerSecond", operations / seconds)).under(name);
    }

    /** The numbers of all entries, in the order of their keys. */
    private int[] inOrder() {
        byte[][] keys = new byte[entries][];
        Arrays.setAll(keys, kind.group()::key);
        return IntStream.range(0, entries)
                .boxed()
                .sorted((one, other) -> Arrays.compareUnsigned(keys[one], keys[other]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private double build(Path directory, int @Nullable [] order) throws IOException {
        long begun = System.nanoTime();
        try (LookupFile.Building building = kind.file().build(directory)) {
            for (int i = 0; i < entries; i++) {
                int number = order == null ? i : order[i];
                building.put(kind.group().key(number), kind.group().value(number));
            }
        }
        return (System.nanoTime() - begun) / 1e9;
    }

    /** Short scans that begin at random keys, if the format has them: twice, of which the second counts. */
    private void scan(LookupFile.Open open, Consumer<Figures> sink) throws IOException {
        LookupFile.Scans scans = open.scans();
        if (scans == null) {
            return;
        }
        SplittableRandom random = new SplittableRandom(1);
        int many = Math.max(1, lookups / SCAN_ENTRIES);
        double seconds = 0;
        for (int pass = 0; pass < 2; pass++) {
            long begun = System.nanoTime();
            for (int i = 0; i < many; i++) {
                if (scans.scan(kind.group().key(random.nextInt(entries)), SCAN_ENTRIES) < 1) {
                    throw new IllegalStateException("a scan from a key that is there has no entry");
                }
            }
            seconds = (System.nanoTime() - begun) / 1e9;
        }
        sink.accept(rate("SCAN_100", many, seconds));
    }

    /** Random look-ups, all of keys that are there or all of others. */
    Figures look(LookupFile.Open open, int threads, boolean areThere)
            throws IOException, InterruptedException, ExecutionException {
        long batches = Math.max(1, (long) lookups * threads / BATCH);
        Crowd.Done done = new Crowd(threads).work(batches, Long.MAX_VALUE, thread -> {
            LookupFile.Lookup lookup = open.lookup();
            SplittableRandom random = new SplittableRandom(thread);
            return new Crowd.Steps() {
                @Override
                public void step(long batch) throws IOException {
                    for (int i = 0; i < BATCH; i++) {
                        check(lookup, random.nextInt(entries), areThere);
                    }
                }

                @Override
                public void close() {
                    // the file is closed by its opener
                }
            };
        });
        return new Figures(Map.of("opsPerSecond", batches * BATCH / done.seconds()));
    }

    private void check(LookupFile.Lookup lookup, int number, boolean isThere) throws IOException {
        byte[] value =
                lookup.get(isThere ? kind.group().key(number) : kind.group().absent(number));
        if ((value != null) != isThere) {
            throw new IllegalStateException("entry " + number + " is " + (isThere ? "missing" : "there"));
        }
        if (value != null && value[value.length - 1] != kind.group().last(number)) {
            throw new IllegalStateException("entry " + number + " has the value " + Arrays.toString(value));
        }
    }
}
