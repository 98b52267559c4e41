package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes whose old records have to be read from a file: three times as many as may be mapped. */
final class HashColdRecordsTest {

    private static final int KEYS = 3_000;
    private static final int VALUE_BYTES = 1_000;
    private static final int STEPS = 8_000;
    private static final int LONG_OPERATION = 60;

    private final FaultyStorage disk = new FaultyStorage(new SimStorage());
    private final Random random = new Random(46);
    private EngineHarness table;

    @BeforeEach
    void load() throws IOException {
        table = EngineHarness.create(new SmallSegmentsProvider(), Map.of(), disk);
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

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private byte[] value() {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        return value;
    }

    private double reads() {
        return Measures.of(table.engine().stats(), "cold_probes");
    }

    private Mutation change() {
        byte[] key = key(random.nextInt(KEYS + KEYS / 10));
        return random.nextInt(8) == 0 ? new Mutation.Remove(key) : new Mutation.Put(key, value());
    }

    private void step() throws IOException {
        int changes = random.nextInt(50) == 0 ? 1 + random.nextInt(LONG_OPERATION) : 1;
        List<Mutation> operation = new ArrayList<>();
        for (int i = 0; i < changes; i++) {
            operation.add(change());
        }
        table.write(operation);
        table.background().runAll();
    }

    @Test
    void changes_replace_what_they_have_to_read_before() throws IOException {
        EngineHarness.Snap before = table.openSnapshot();
        for (int i = 0; i < STEPS; i++) {
            step();
            if (i == STEPS / 2) {
                table.check(before);
                table.close(before);
            }
        }
        assertTrue(reads() > STEPS / 4.0, reads() + " records were read");
        table.check();
        table.reopen();
        table.check();
    }

    @Test
    void one_key_again_and_again_among_many() throws IOException {
        for (int i = 0; i < STEPS; i++) {
            table.put(key(i % 3 == 0 ? 0 : random.nextInt(KEYS)), value());
        }
        table.check();
    }

    /** The changes that wait stay, and the next writer reads again. */
    @Test
    void a_record_that_cannot_be_read_now_fails_the_write_and_no_later_one() throws IOException {
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 200; i++) {
                step();
            }
            disk.arm(new FaultPlan(Set.of(Operation.READ), random.nextInt(40), true, FaultPlan.Fault.EIO));
            IOException thrown = assertThrows(IOException.class, () -> {
                for (int i = 0; i < 1_000; i++) {
                    table.put(key(random.nextInt(KEYS)), value());
                }
            });
            disk.disarm();
            assertTrue(String.valueOf(thrown.getMessage()).contains("injected at READ"), thrown::toString);
        }
        table.check();
        assertNull(table.failure());
    }
}
