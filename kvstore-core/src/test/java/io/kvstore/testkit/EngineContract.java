package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** What the parts of {@link TableEngineContract} share: harnesses that are closed, and checked for leaks, after each test. */
abstract class EngineContract {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");

    private final List<EngineHarness> harnesses = new ArrayList<>();

    /** Faults that are made on purpose are told, each with its stack trace. */
    @BeforeAll
    static void keepQuiet() {
        QUIET.setLevel(Level.OFF);
    }

    /** The engine to test. */
    protected abstract TableEngineProvider provider();

    /** Parameters that differ from their defaults. */
    protected Map<String, ?> properties() {
        return Map.of();
    }

    /** The empty storage of one table. Each harness gets another one. */
    protected Storage storage() {
        return new FaultyStorage(new SimStorage());
    }

    /** An empty table that is closed after the test. */
    final EngineHarness open() throws IOException {
        return open(properties());
    }

    /** One with other parameters. */
    final EngineHarness open(Map<String, ?> properties) throws IOException {
        return keep(EngineHarness.create(provider(), properties, storage()));
    }

    /** An empty table on a disk that fails on demand; it is not closed after the test. */
    final EngineHarness openFragile(FaultyStorage storage) throws IOException {
        return EngineHarness.create(provider(), properties(), storage);
    }

    private EngineHarness keep(EngineHarness harness) {
        harnesses.add(harness);
        return harness;
    }

    @AfterEach
    final void closeAll() throws IOException {
        for (EngineHarness harness : harnesses) {
            harness.close();
        }
        afterClosing();
    }

    /** Called when all harnesses of a test are closed. */
    void afterClosing() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A value of that length that is unlike the others. */
    static byte[] value(int seed, int length) {
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte) (seed * 31 + i * 7 + (i >> 8));
        }
        return value;
    }
}
