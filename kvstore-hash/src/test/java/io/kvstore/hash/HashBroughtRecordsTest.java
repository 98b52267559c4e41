package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.engine.TableEngine;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens between the moment when a write knows what it has to read, and the moment when it comes again. */
final class HashBroughtRecordsTest {

    private static final int KEYS = 2_000;
    private static final int HOT_KEYS = 8;
    private static final int VALUE_BYTES = 1_500;
    private static final int WRITERS = 5;
    private static final int STEPS = 12_000;
    private static final int LONG_OPERATION = 60;
    private static final int LONG_KEYS = 1_000;
    private static final int LONG_KEY_BYTES = 8_000;
    private static final int ROUNDS = 10;
    private static final int HALF_AN_HOUR_MILLIS = 1_800_000;
    private static final int SECONDS = 60;

    private final Random random = new Random(73);
    private final OutOfMemoryError error = new OutOfMemoryError("planted");
    private EngineHarness table;

    /** The read of an old record that throws {@link #failure}, counted from 0; none if it is below 0. */
    private int failing = -1;

    private Throwable failure = error;
    private int failures;

    /** One thread of a user, without the thread. */
    private static final class Writer {
        private List<Mutation> operation = List.of();
        private TableEngine.@Nullable Load load;
    }

    @BeforeEach
    void load() throws IOException {
        table = EngineHarness.create(
                new SmallSegmentsProvider(),
                Map.of(),
                HookedStorage.over(new FaultyStorage(new SimStorage()), (_, _, proceed) -> {
                    if (failing >= 0 && proceed.reads(0, Long.MAX_VALUE) && isOfWrite() && failing-- == 0) {
                        throw failure;
                    }
                    return proceed.call();
                }));
        for (int i = 0; i < KEYS; i++) {
            table.put(key(i), value());
        }
        table.engine().checkpoint();
        table.reopen();
    }

    @AfterEach
    void close() throws IOException {
        table.close();
    }

    private static boolean isOfWrite() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith(".Looks")));
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] longKey(int number) {
        return ByteBuffer.allocate(LONG_KEY_BYTES).putInt(-1 - number).array();
    }

    private byte[] value() {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        return value;
    }

    private double reads() {
        return Measures.of(table.engine().stats(), "cold_probes");
    }

    private List<Mutation> operation() {
        int changes = random.nextInt(40) == 0 ? 1 + random.nextInt(LONG_OPERATION) : 1;
        List<Mutation> operation = new ArrayList<>();
        for (int i = 0; i < changes; i++) {
            byte[] key = key(random.nextInt(random.nextInt(3) == 0 ? HOT_KEYS : KEYS));
            operation.add(random.nextInt(4) == 0 ? new Mutation.Remove(key) : new Mutation.Put(key, value()));
        }
        return operation;
    }

    /** Makes the next move of a writer. Its operation is applied when nothing is to be read before. */
    private void step(Writer writer) throws IOException {
        TableEngine.Load load = writer.load;
        if (load != null) {
            writer.load = null;
            failing = random.nextInt(50) == 0 ? random.nextInt(20) : -1;
            failure = random.nextBoolean() ? error : new IOException("planted");
            try {
                load.run();
            } catch (IOException | OutOfMemoryError e) {
                assertSame(failure, e);
                failures++;
                writer.operation = List.of();
            }
            failing = -1;
            return;
        }
        if (writer.operation.isEmpty()) {
            writer.operation = operation();
        }
        writer.load = table.engine().reserve(writer.operation);
        table.engine().cancel(writer.operation);
        if (writer.load == null) {
            table.write(writer.operation);
            writer.operation = List.of();
        }
    }

    /** Keys are overwritten, removed and put again while their records are read for others. */
    @Test
    void changes_come_while_records_are_read() throws IOException {
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(new Writer());
        }
        EngineHarness.Snap snapshot = table.openSnapshot();
        for (int i = 0; i < STEPS; i++) {
            step(writers.get(random.nextInt(WRITERS)));
            if (random.nextInt(1_000) == 0) {
                table.check(snapshot);
                table.close(snapshot);
                table.background().runAll();
                snapshot = table.openSnapshot();
            }
            if (random.nextInt(1_000) == 0) {
                table.engine().checkpoint();
            }
        }
        table.check(snapshot);
        table.close(snapshot);
        assertTrue(reads() > KEYS, reads() + " records were read");
        assertTrue(failures > ROUNDS, failures + " reads failed");
        table.check();
        table.reopen();
        table.check();
        assertNull(table.failure());
    }

    private TableEngine.@Nullable Load reserve(List<Mutation> operation) throws IOException {
        TableEngine.Load load = table.engine().reserve(operation);
        table.engine().cancel(operation);
        return load;
    }

    @Test
    void a_writer_without_memory_fails_alone() throws IOException {
        int failed = 0;
        for (int i = 0; i < KEYS; i++) {
            List<Mutation> put = List.of(new Mutation.Put(key(i), value()));
            TableEngine.Load one = reserve(put);
            TableEngine.Load other = reserve(put);
            if (one != null && other != null) {
                failing = 0;
                failure = error;
                try {
                    one.run();
                } catch (OutOfMemoryError e) {
                    assertSame(error, e);
                    failed++;
                }
                failing = -1;
                other.run();
            }
            table.write(put);
        }
        assertTrue(failed > ROUNDS, failed + " reads failed");
        table.check();
        assertNull(table.failure());
    }

    private List<Mutation> loadLongKeys() throws IOException {
        List<Mutation> removals = new ArrayList<>();
        for (int i = 0; i < LONG_KEYS; i++) {
            table.put(longKey(i), value());
            removals.add(new Mutation.Remove(longKey(i)));
        }
        table.engine().checkpoint();
        table.reopen();
        return removals;
    }

    private void elsewhere(EngineCall call) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                call.run();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
        assertFalse(thread.isAlive());
        assertNull(thrown.get());
    }

    private interface EngineCall {
        void run() throws IOException;
    }

    /** The keys of the records are more than what is kept for writers that share it. */
    @Test
    void an_operation_reads_each_record_once_beside_steady_writers() throws IOException, InterruptedException {
        List<Mutation> removals = loadLongKeys();
        int rounds = 0;
        TableEngine.Load load = table.engine().reserve(removals);
        for (; load != null && rounds < ROUNDS; rounds++) {
            table.engine().cancel(removals);
            load.run();
            int number = rounds;
            elsewhere(() -> table.put(key(KEYS + number), value()));
            load = table.engine().reserve(removals);
        }
        table.engine().cancel(removals);
        assertNull(load, "it begins again and again");
        assertTrue(reads() > LONG_KEYS / 2.0, reads() + " records were read");
        assertTrue(reads() < 1.5 * LONG_KEYS, reads() + " records were read");
        table.write(removals);
        table.check();
    }

    /** Reads what an operation needs, and how many records that were. */
    private double prepare(List<Mutation> operation) throws IOException {
        double before = reads();
        TableEngine.Load load = reserve(operation);
        for (int round = 0; load != null && round < ROUNDS; round++) {
            load.run();
            load = reserve(operation);
        }
        assertNull(load);
        return reads() - before;
    }

    @Test
    void what_an_operation_has_read_is_forgotten_if_it_does_not_come_again() throws IOException {
        List<Mutation> removals = loadLongKeys();
        assertTrue(prepare(removals) > LONG_KEYS / 2.0);
        assertEquals(0, prepare(removals), "it has its turn again");
        table.background().tick(HALF_AN_HOUR_MILLIS);
        assertTrue(prepare(removals) > LONG_KEYS / 2.0, "the heap is free again");
        table.write(removals);
        for (int i = 0; i < LONG_KEYS; i++) {
            table.put(longKey(i), value());
        }
        table.check();
    }
}
