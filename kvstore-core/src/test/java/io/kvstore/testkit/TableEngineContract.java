package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.ReadView;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that an engine owes to the store, tested through the SPI alone. An engine has one test class for each of its
 * interesting settings that extends this one and names provider and parameters.
 */
public abstract class TableEngineContract extends MemoryContract {

    private static final int HISTORIES = 40;
    private static final int STEPS = 150;
    private static final int READERS = 3;
    private static final int KEYS = 64;
    private static final int OPERATIONS = Sweeps.count(600, 3_000);

    @Test
    void random_histories_agree_with_the_model() throws IOException {
        Set<String> kinds = new TreeSet<>();
        Seeds.each(1, HISTORIES, seed -> {
            List<TableStep> history = TableHistory.of(seed, STEPS, true);
            kinds.addAll(TableHistory.statistics(history).keySet());
            TableHistory.check(history, steps -> TableRun.of(provider(), properties(), steps));
        });
        if (Long.getLong("kv.seed") == null) {
            assertEquals(12, kinds.size(), () -> "steps that occurred: " + kinds);
        }
    }

    /** Nothing is mapped there: all reads are by position. */
    @Test
    void random_histories_on_another_file_system() throws IOException {
        MemoryFileSystem.silenceNotices();
        Seeds.each(1, HISTORIES / 4, seed -> {
            List<TableStep> history = TableHistory.of(seed, STEPS, false);
            TableHistory.check(history, steps -> {
                try (FileSystem files = MemoryFileSystem.UNIX.make()) {
                    Storage storage = new RealStorage(files.getPath("store"));
                    TableRun.on(storage, provider(), properties(), steps);
                }
            });
        });
    }

    /** Readers see, of every key, values that never go back, while one thread writes and flushes. */
    @Test
    void readers_beside_a_writer() throws Exception {
        EngineHarness table = open();
        readBesideWriter(table, false);
        table.check();
    }

    /** The same on the real file system, with readers that are interrupted all the time. */
    @Test
    void interrupted_readers(@TempDir Path directory) throws Exception {
        try (EngineHarness table = EngineHarness.create(provider(), properties(), new RealStorage(directory))) {
            readBesideWriter(table, true);
            table.check();
            table.reopen();
            table.check();
        }
    }

    /**
     * Who has seen one change of an operation sees all others, by gets alone. Operations are long, so that most gets meet one
     * that is being applied.
     */
    @Test
    void gets_beside_a_writer_see_whole_operations() throws Exception {
        EngineHarness table = open();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicBoolean stop = new AtomicBoolean();
        table.write(operation(1));
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; !stop.get(); i++) {
                    byte kind = (byte) (i % 2);
                    int from = i % 3 == 0 ? 0 : KEYS - 1;
                    int first = numberOf(table, kind, from);
                    int second = numberOf(table, kind, KEYS - 1 - from);
                    assertTrue(second >= first, second + " at a key after " + first + " at another");
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        });
        for (int number = 2; number < OPERATIONS && failure.get() == null; number++) {
            table.write(operation(number));
            if (number % 100 == 0) {
                table.background().runAll();
            }
        }
        stop.set(true);
        reader.join();
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError("the reader failed: " + failed, failed);
        }
        table.check();
    }

    private static int numberOf(EngineHarness table, byte kind, int key) throws IOException {
        byte[] value = table.engine().get(new byte[] {kind, (byte) key}, ReadView.LATEST);
        return ByteBuffer.wrap(Objects.requireNonNull(value)).getInt();
    }

    /** Short and long values that have its number. */
    private static List<Mutation> operation(int number) {
        List<Mutation> mutations = new ArrayList<>();
        for (byte key = 0; key < KEYS; key++) {
            for (byte kind = 0; kind < 2; kind++) {
                byte[] value =
                        ByteBuffer.allocate(8 + kind * 500).putInt(number).array();
                mutations.add(new Mutation.Put(new byte[] {kind, key}, value));
            }
        }
        return mutations;
    }

    private static void readBesideWriter(EngineHarness table, boolean interrupts) throws Exception {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicLong written = new AtomicLong(1);
        writeRound(table, 1);
        Reading reading = new Reading(table, written, interrupts);
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int first = i;
            readers.add(Thread.ofPlatform().start(() -> {
                try {
                    reading.run(first);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        for (int round = 2; round < 60 && failure.get() == null; round++) {
            writeRound(table, round);
            written.set(round);
            if (round % 5 == 0) {
                table.engine().flush();
            }
            if (round % 20 == 0) {
                table.engine().optimize((done, total) -> true);
            }
            table.background().runAll();
            if (interrupts) {
                readers.forEach(Thread::interrupt);
            }
        }
        reading.stop = true;
        for (Thread reader : readers) {
            reader.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError("a reader failed: " + failed, failed);
        }
        assertTrue(reading.reads.get() > 0);
    }

    private static void writeRound(EngineHarness table, int round) throws IOException {
        for (int key = 0; key < KEYS; key++) {
            table.put(new byte[] {1, (byte) key}, roundValue(round, key));
        }
    }

    /** A value that names its round in every word, so that a mixture of two is seen. */
    private static byte[] roundValue(int round, int key) {
        byte[] value = new byte[4 + key * 8];
        Arrays.fill(value, (byte) round);
        return value;
    }

    /** What a reader does until it is stopped. */
    private static final class Reading {

        private final EngineHarness table;
        private final AtomicLong written;
        private final boolean interrupts;
        private final AtomicLong reads = new AtomicLong();
        private volatile boolean stop;

        Reading(EngineHarness table, AtomicLong written, boolean interrupts) {
            this.table = table;
            this.written = written;
            this.interrupts = interrupts;
        }

        void run(int first) throws IOException {
            for (int at = first; !stop; at++) {
                if (interrupts) {
                    Thread.currentThread().interrupt();
                }
                int key = at * 7 % KEYS;
                long least = written.get();
                byte[] value = table.engine().get(new byte[] {1, (byte) key}, ReadView.LATEST);
                checkValue(key, value, least);
                if (at % 50 == 0) {
                    assertEquals(KEYS, table.engine().count(KeyRange.all(), ReadView.LATEST));
                }
                if (interrupts) {
                    assertTrue(Thread.interrupted(), "the interrupt was swallowed");
                }
                reads.incrementAndGet();
            }
        }

        private static void checkValue(int key, byte @Nullable [] value, long least) {
            if (value == null || value.length != 4 + key * 8) {
                throw new AssertionError(
                        "key " + key + " has " + (value == null ? "no value" : value.length + " bytes"));
            }
            int round = value[0];
            if (round < least) {
                throw new AssertionError("key " + key + " is of round " + round + " after round " + least);
            }
            for (byte each : value) {
                if (each != round) {
                    throw new AssertionError("key " + key + " mixes rounds " + round + " and " + each);
                }
            }
        }
    }
}
