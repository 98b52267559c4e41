package io.kvstore.bench.behaviour;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TableStats;
import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.OwnProcess;
import io.kvstore.bench.store.Crowd;
import io.kvstore.bench.store.Shape;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineStats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * One measurement of {@link BehaviourCommand}, in a JVM of its own.
 *
 * @param engine the engine of the tables
 * @param size the amount of work; its unit depends on the kind
 * @param overwrites how many entries are overwritten before a checkpoint
 * @param seconds how long gets are measured
 * @param data the store's directory
 */
record BehaviourStep(String engine, long size, int overwrites, double seconds, Path data) {

    private static final Shape SHAPE = Shape.WIDE;
    private static final long MIB = 1 << 20;
    private static final int WRITERS = 16;

    /** What a segment of values has of each beside key and value. */
    private static final int VALUE_HEAD_BYTES = 20;

    /** The approximate bytes of an entry in the log beside key and value. */
    private static final int RECORD_BYTES = 24;

    /** The kinds of measurements. */
    enum Kind {
        /** Puts entries that make {@code size} MiB of log, and ends without closing the store. */
        FILL,
        /** Opens the store, counts its entries, and closes it. */
        OPEN,
        /** Measures gets from one thread in a table of {@code size} entries, alone and then beside writers that sync. */
        BESIDE,
        /** Creates {@code size} tables with a few entries each. */
        TABLES,
        /** Measures a checkpoint after overwrites in a table of {@code size} entries, and closes the store. */
        CHECKPOINT
    }

    Figures run(Kind kind) throws IOException, InterruptedException, ExecutionException {
        return switch (kind) {
            case FILL -> fill();
            case OPEN -> open();
            case BESIDE -> beside();
            case TABLES -> tables();
            case CHECKPOINT -> checkpoint();
        };
    }

    private KVStoreOptions options(Durability durability) {
        return KVStoreOptions.defaults()
                .withDurability(durability)
                .withMemoryBytes(512 * MIB)
                .withCheckpointLogBytes(64L << 30);
    }

    private Table table(KVStore store, String name) {
        Properties properties = new Properties();
        switch (engine) {
            case "BPLUS" -> properties.put("BTREE_PAGE_BUFFER_SIZE_BYTES", 256 * MIB);
            case "LSM" -> properties.put("MEM_CACHE_SIZE", 256 * MIB);
            default -> {} // the others have no such parameter
        }
        return store.createTable("bench", name, engine, properties);
    }

    private static void put(Table table, long from, long to) {
        byte[] key = new byte[SHAPE.keyBytes()];
        byte[] value = new byte[SHAPE.valueBytes()];
        for (long number = from; number < to; number++) {
            SHAPE.fillKey(number, key);
            SHAPE.fillValue(number, value);
            table.put(key, value);
        }
    }

    private static double secondsSince(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Puts the entries and leaves the store open. The caller ends the JVM like a kill. */
    private Figures fill() {
        long entries = size * MIB / (SHAPE.entryBytes() + RECORD_BYTES);
        KVStore store = new KVStore(data, options(Durability.BUFFERED));
        store.createDB("bench");
        put(table(store, "entries"), 0, entries);
        return new Figures(Map.of("entries", (double) entries));
    }

    private Figures open() {
        long begin = System.nanoTime();
        KVStore store = new KVStore(data, options(Durability.BUFFERED));
        double opened = secondsSince(begin);
        double entries = 0;
        if (store.databases().contains("bench")) {
            entries = store.table("bench", "entries").count(KeyRange.all());
        }
        begin = System.nanoTime();
        store.close();
        return new Figures(Map.of("entries", entries, "openSeconds", opened, "closeSeconds", secondsSince(begin)));
    }

    private Figures beside() throws InterruptedException, ExecutionException {
        try (KVStore store = new KVStore(data, options(Durability.SYNC));
                ExecutorService pool = Executors.newFixedThreadPool(WRITERS)) {
            store.createDB("bench");
            Table table = table(store, "entries");
            byte[] key = new byte[SHAPE.keyBytes()];
            for (long number = 0; number < size; number++) {
                SHAPE.fillKey(number, key);
                byte[] value = new byte[SHAPE.valueBytes()];
                SHAPE.fillValue(number, value);
                table.put(key, value, Durability.BUFFERED);
            }
            store.checkpoint();
            get(table);
            Figures alone = get(table);
            AtomicBoolean done = new AtomicBoolean();
            AtomicLong next = new AtomicLong(size);
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                writers.add(pool.submit(() -> {
                    while (!done.get()) {
                        long number = next.getAndIncrement();
                        put(table, number, number + 1);
                    }
                }));
            }
            Figures beside = get(table);
            double written = next.get() - size;
            done.set(true);
            for (Future<?> writer : writers) {
                writer.get();
            }
            Figures all = new Figures(Map.of("putsPerSecond", written / seconds));
            return all.and(alone.under("alone")).and(beside.under("beside"));
        }
    }

    private Figures get(Table table) {
        Histogram latencies = Crowd.newHistogram();
        SplittableRandom random = new SplittableRandom(1);
        byte[] key = new byte[SHAPE.keyBytes()];
        long first = System.nanoTime();
        for (long begin = first; begin - first < seconds * 1_000_000_000; ) {
            SHAPE.fillKey(random.nextLong(size), key);
            byte[] found = table.get(key);
            if (found == null || !SHAPE.fits(key, found)) {
                throw new IllegalStateException("an entry is missing or wrong");
            }
            long end = System.nanoTime();
            latencies.recordValue(end - begin);
            begin = end;
        }
        return Figures.of(latencies, secondsSince(first));
    }

    /** The table has no log. All other bytes beside the records of values are the index or pages, and values that moved. */
    private Figures checkpoint() throws IOException {
        try (KVStore store = new KVStore(data, options(Durability.BUFFERED))) {
            store.createDB("bench");
            Properties properties = new Properties();
            properties.put("ENABLE_WAL", "false");
            Table table = store.createTable("bench", "entries", engine, properties);
            put(table, 0, size);
            store.checkpoint();
            double before = OwnProcess.writtenBytes();
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < overwrites; i++) {
                long number = random.nextLong(size);
                put(table, number, number + 1);
            }
            long begin = System.nanoTime();
            store.checkpoint();
            double took = secondsSince(begin);
            double values = (double) overwrites * (VALUE_HEAD_BYTES + SHAPE.entryBytes());
            return new Figures(Map.of("seconds", took))
                    .with("beyondValuesMb", (OwnProcess.writtenBytes() - before - values) / 1e6)
                    .with("indexBytesPerKey", indexBytes(store) / size);
        }
    }

    /** The memory of an index of all keys, by the name that the engine gives it; 0 if it has none. */
    private static double indexBytes(KVStore store) {
        double bytes = 0;
        for (TableStats table : store.stats().tables()) {
            EngineStats figures = table.engine();
            if (figures != null) {
                for (EngineStats.Measure measure : figures.measures()) {
                    bytes += measure.name().equals("index_bytes")
                                    || measure.name().equals("hash_index_bytes")
                            ? measure.value()
                            : 0;
                }
            }
        }
        return bytes;
    }

    private Figures tables() throws IOException {
        try (KVStore store = new KVStore(data, options(Durability.BUFFERED))) {
            store.createDB("bench");
            double before = OwnProcess.anonymousBytes();
            long begin = System.nanoTime();
            for (int i = 0; i < size; i++) {
                put(store.createTable("bench", "t" + i, engine), 0, 100);
            }
            double made = secondsSince(begin);
            store.checkpoint();
            return new Figures(Map.of("seconds", made))
                    .with("anonymousMib", OwnProcess.anonymousBytes() / (double) MIB)
                    .with("beforeMib", before / MIB)
                    .with("rssMib", OwnProcess.residentBytes() / (double) MIB)
                    .with("heapMib", OwnProcess.liveHeapBytes() / (double) MIB);
        }
    }
}
