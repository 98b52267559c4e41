package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * How deep the calls of a put are in a table with a log: the frames from {@code Table.put} to the deepest method of the engine
 * that is given the bytes of the value. That method copies them into memory. A chain of calls that grows without notice becomes
 * a design that nobody sees any more. With one engine.
 */
public abstract class CallDepthContract {

    private static final int MOST_FRAMES = 14;

    /** A value that lies beside its key, and two that are kept apart. The put takes copies of the first two at its begin. */
    private static final List<Integer> VALUE_LENGTHS = List.of(101, 997, 5_003);

    @TempDir
    private Path temp;

    /** The name of the engine. */
    protected abstract String engine();

    @Test
    void a_put_copies_its_value_within_few_frames(TestReporter reporter) throws Exception {
        assumeTrue(ModuleLayer.boot().findModule("jdk.jdi").isPresent(), "this JDK has no module jdk.jdi");
        List<String> most = List.of();
        for (CallDepthTrace.Put put : CallDepthTrace.of(temp, engine(), VALUE_LENGTHS)) {
            List<String> table = deepest(put, frame -> frame.matches(".*Engine\\.apply:\\d+"));
            List<String> log = deepest(put, frame -> frame.startsWith("wal."));
            String what = engine() + ", value of " + put.valueBytes() + " bytes";
            reporter.publishEntry(what, "frames to the table " + table.size() + ", to the log " + log.size());
            assertFalse(table.isEmpty(), what + ": no method of the engine was given the value");
            most = table.size() > most.size() ? table : most;
        }
        assertTrue(
                most.size() <= MOST_FRAMES,
                most.size() + " frames, " + MOST_FRAMES + " allowed:\n" + String.join("\n", most));
    }

    /** The frames of the deepest call with a frame of this kind; empty if there is none. */
    private static List<String> deepest(CallDepthTrace.Put put, Predicate<String> kind) {
        return put.calls().stream()
                .filter(frames -> frames.stream().anyMatch(kind))
                .max(Comparator.comparingInt(List::size))
                .orElse(List.of());
    }
}
