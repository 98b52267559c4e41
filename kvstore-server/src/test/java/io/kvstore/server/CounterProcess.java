package io.kvstore.server;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * A process that opens a store, checks a number in each table, and then adds 1 to it from many threads until it is killed. If
 * a number is wrong, the process ends by itself.
 */
final class CounterProcess {

    static final String KEY = "n";

    /** Each name has the table's engine and durability. */
    static final List<String> TABLES =
            List.of("lsm-SYNC", "lsm-BUFFERED", "bplus-SYNC", "bplus-BUFFERED", "hash-SYNC", "hash-BUFFERED");

    private static final int THREADS = 200;

    private CounterProcess() {}

    /** Arguments: the directory of the store, and the file of {@link Counts}. */
    public static void main(String[] args) throws Exception {
        Counts counts = Counts.of(Path.of(args[1]), Arena.global());
        KVStore store = new KVStore(Path.of(args[0]), KVStoreOptions.defaults());
        store.createDatabaseIfAbsent("d");
        for (int place = 0; place < TABLES.size(); place++) {
            check(table(store, TABLES.get(place)), counts, place);
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int place = i % TABLES.size();
            Table table = table(store, TABLES.get(place));
            threads.add(Thread.ofVirtual().start(() -> count(table, counts, place)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Checks that a number is at least the count of acknowledged additions and at most that of those that were tried. */
    static void check(Table table, Counts counts, int place) {
        byte[] bytes = table.get(KEY);
        long value = bytes == null ? 0 : Long.parseLong(new String(bytes, StandardCharsets.US_ASCII));
        if (value < counts.acknowledged(place) || value > counts.tried(place)) {
            throw new IllegalStateException(table.name() + " has " + value + "; acknowledged were "
                    + counts.acknowledged(place) + ", tried " + counts.tried(place));
        }
    }

    private static Table table(KVStore store, String name) {
        String[] parts = name.split("-", 2);
        Properties properties = new Properties();
        properties.put("DURABILITY", parts[1]);
        return store.tableOrCreate("d", name, parts[0], properties);
    }

    private static void count(Table table, Counts counts, int place) {
        while (true) {
            counts.tries(place);
            table.add(KEY, 1);
            counts.acknowledges(place);
        }
    }

    /**
     * What was tried and what was acknowledged, in a file that is mapped into memory: what a process has counted stays when it
     * is killed.
     */
    record Counts(MemorySegment memory) {

        private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

        static Counts of(Path file, Arena arena) throws IOException {
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                long bytes = 2L * Long.BYTES * TABLES.size();
                return new Counts(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena));
            }
        }

        void tries(int place) {
            long before = (long) LONG.getAndAdd(memory, offset(place), 1L);
            assert before >= 0;
        }

        void acknowledges(int place) {
            long before = (long) LONG.getAndAdd(memory, offset(place) + Long.BYTES, 1L);
            assert before >= 0;
        }

        long tried(int place) {
            return (long) LONG.getVolatile(memory, offset(place));
        }

        long acknowledged(int place) {
            return (long) LONG.getVolatile(memory, offset(place) + Long.BYTES);
        }

        private static long offset(int place) {
            return 2L * Long.BYTES * place;
        }
    }
}
