package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Durability;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** A checkpoint that fails is tried again soon, and the log of the program does not grow with each attempt. */
final class CheckpointNoticesTest {

    private static final Logger LOGGER = Logger.getLogger("io.kvstore.durability.Checkpointer");
    private static final int RECORDS = 300;

    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private boolean isFailing;
    private int attempts;

    private final Storage storage = HookedStorage.over(new SimStorage(), (name, path, rest) -> {
        if (isFailing && name.equals("create") && path.startsWith("tables/")) {
            attempts++;
            throw new IOException("for the test");
        }
        return rest.call();
    });

    /** What a logger was given. */
    private static final class Told extends Handler {

        private final List<String> texts = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord record) {
            texts.add(record.getMessage());
        }

        @Override
        public void flush() {
            // keeps nothing back
        }

        @Override
        public void close() {
            // has nothing
        }
    }

    private KVStore open() {
        return new KVStore(
                Path.of("unused"),
                KVStoreOptions.defaults()
                        .withStorage(storage)
                        .withClock(clock)
                        .withBackground(background)
                        .withWalSegmentBytes(64 << 10)
                        .withCheckpointLogBytes(256 << 10)
                        .withCheckpointIntervalMillis(3_600_000)
                        .withMemoryBytes(64 << 20));
    }

    private static void fill(Table table) {
        for (int i = 0; i < RECORDS; i++) {
            table.put(("k" + i).getBytes(StandardCharsets.US_ASCII), new byte[1_000], Durability.BUFFERED);
        }
    }

    @Test
    void failures_in_a_row_are_told_once_a_minute() {
        Told told = new Told();
        LOGGER.setLevel(Level.WARNING);
        LOGGER.addHandler(told);
        try (KVStore store = open()) {
            store.createDB("d");
            Table table = store.createTable("d", "t", "MODEL");
            isFailing = true;
            fill(table);
            background.tick(10_000);
            assertTrue(attempts > 5, attempts + " attempts");
            assertEquals(1, told.texts.size(), () -> attempts + " attempts: " + told.texts);
            background.tick(55_000);
            assertEquals(2, told.texts.size(), () -> attempts + " attempts: " + told.texts);
            isFailing = false;
            background.tick(1_000);
            isFailing = true;
            fill(table);
            background.tick(1_000);
            assertEquals(3, told.texts.size(), "the first failure after a checkpoint that succeeded");
            isFailing = false;
        } finally {
            LOGGER.removeHandler(told);
            LOGGER.setLevel(null);
        }
    }
}
