package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * How many methods of this project a put goes through, from {@code Table.put} to the one that copies the bytes of the value: a
 * chain that grows without notice is a design that nobody sees any more.
 *
 * <p>A thread puts long values, and its stack is looked at meanwhile. Most looks find it where it copies or sums up bytes.
 */
public abstract class CallDepthContract {

    private static final int MOST_FRAMES = 14;
    private static final int VALUE_BYTES = 4 << 20;
    private static final int ENOUGH_SIGHTINGS = 20;
    private static final int MOST_LOOKS = 1_000_000;

    /** The methods that copy a value, or hand it to the checksum of the JDK. */
    private static final String HAS_THE_BYTES = "io\\.kvstore\\.(value\\.append\\.Tail(Array|Block)\\.put"
            + "|value\\.segment\\.RecordEncoder\\.(write|headAndKey)|io\\.ByteCopy\\.\\w+)";

    /** The engine's name. */
    protected abstract String engine();

    @Test
    void a_put_comes_to_the_bytes_of_its_value_in_few_frames() throws InterruptedException {
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(new SimStorage());
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Properties properties = new Properties();
            properties.put("ENABLE_WAL", false);
            Table table = store.createTable("db", "t", engine(), properties);
            AtomicBoolean stopped = new AtomicBoolean();
            Thread writer = Thread.ofPlatform().start(() -> {
                byte[] value = new byte[VALUE_BYTES];
                while (!stopped.get()) {
                    table.put(new byte[] {1}, value);
                }
            });
            List<List<String>> sightings;
            try {
                sightings = lookAt(writer);
            } finally {
                stopped.set(true);
                writer.join();
            }
            List<String> deepest = Collections.max(sightings, (left, right) -> left.size() - right.size());
            assertTrue(
                    deepest.size() <= MOST_FRAMES,
                    deepest.size() + " frames, " + MOST_FRAMES + " allowed:\n" + String.join("\n", deepest));
        }
    }

    private static List<List<String>> lookAt(Thread writer) {
        List<List<String>> sightings = new ArrayList<>();
        for (int looks = 0; sightings.size() < ENOUGH_SIGHTINGS; looks++) {
            assertTrue(looks < MOST_LOOKS && writer.isAlive(), "the writer was not met where it copies a value");
            List<String> frames = frames(writer.getStackTrace());
            if (!frames.isEmpty() && frames.getLast().matches(HAS_THE_BYTES)) {
                sightings.add(frames);
            }
        }
        return sightings;
    }

    /** From {@code Table.put} inwards; empty if the thread is not in it, or not in {@code apply}. */
    private static List<String> frames(StackTraceElement[] trace) {
        List<String> frames = new ArrayList<>(Arrays.stream(trace)
                .filter(frame -> frame.getClassName().startsWith("io.kvstore."))
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .toList());
        Collections.reverse(frames);
        int put = frames.indexOf(Table.class.getName() + ".put");
        boolean isApplying = frames.stream().anyMatch(frame -> frame.endsWith("Engine.apply"));
        return put < 0 || !isApplying ? List.of() : frames.subList(put, frames.size());
    }
}
