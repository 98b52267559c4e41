package io.kvstore.testkit;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import java.util.List;
import java.util.stream.Collectors;

/** One step of a history of one table. */
public sealed interface TableStep {

    /** Changes keys in one operation. */
    record Write(List<Mutation> mutations) implements TableStep {
        @Override
        public String toString() {
            return mutations.stream().map(TableStep::display).collect(Collectors.joining(", ", "write(", ")"));
        }
    }

    /** Reads one key; in the {@code snapshot}-th open snapshot, modulo their number, or the latest state if negative. */
    record Get(byte[] key, int snapshot) implements TableStep {
        @Override
        public String toString() {
            return "get(" + KeyOrder.display(key) + ", " + snapshot + ")";
        }
    }

    /** Reads a range, and counts it. */
    record Scan(KeyRange range, int snapshot) implements TableStep {
        @Override
        public String toString() {
            return "scan(" + (range.lower() == null ? "" : KeyOrder.display(range.lower()) + range.lowerInclusive())
                    + ".."
                    + (range.upper() == null ? "" : KeyOrder.display(range.upper()) + range.upperInclusive())
                    + (range.reversed() ? " reversed, " : ", ") + snapshot + ")";
        }
    }

    /** Opens a snapshot. */
    record OpenSnapshot() implements TableStep {}

    /** Closes the {@code snapshot}-th open snapshot, modulo their number. */
    record CloseSnapshot(int snapshot) implements TableStep {}

    /** Writes buffered entries to files. */
    record Flush() implements TableStep {}

    /** Makes everything durable. */
    record Checkpoint() implements TableStep {}

    /** Brings the files into their best shape. */
    record Optimize() implements TableStep {}

    /** Lets background work and time go on. */
    record Tick(int millis) implements TableStep {}

    /** Makes the log durable up to now. */
    record SyncLog() implements TableStep {}

    /** Closes, opens and replays. */
    record Reopen() implements TableStep {}

    /** Cuts the power, opens what is left and replays. */
    record Crash(long seed) implements TableStep {}

    private static String display(Mutation mutation) {
        return switch (mutation) {
            case Mutation.Put(byte[] key, byte[] value) -> "put " + KeyOrder.display(key) + "=" + value.length;
            case Mutation.Remove(byte[] key) -> "remove " + KeyOrder.display(key);
        };
    }
}
