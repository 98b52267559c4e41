package io.kvstore.testkit;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Random histories of one table: few different keys, so that they meet again, among them the empty key, long keys, keys with
 * common prefixes and bytes above 0x7F; values from empty to far beyond a page.
 */
public final class TableHistory {

    private static final int[] VALUE_LENGTHS = {0, 1, 7, 100, 255, 256, 257, 1000, 4096, 20_000};

    private final SplittableRandom random;
    private final int keys;
    private final boolean crashes;
    private int written;

    private TableHistory(long seed, boolean crashes) {
        this.random = new SplittableRandom(seed);
        this.keys = random.nextInt(5, 200);
        this.crashes = crashes;
    }

    /** Runs a history; throws when an answer is wrong. */
    @FunctionalInterface
    public interface Run {
        /** Throws when the history shows something wrong. */
        void run(List<TableStep> history) throws Exception;
    }

    /** A history of so many steps. */
    public static List<TableStep> of(long seed, int steps, boolean crashes) {
        TableHistory generator = new TableHistory(seed, crashes);
        List<TableStep> history = new ArrayList<>(steps);
        for (int i = 0; i < steps; i++) {
            history.add(generator.step());
        }
        return history;
    }

    /** Runs a history; when it fails, looks for a shorter one that fails too and reports that. */
    public static void check(List<TableStep> history, Run run) throws Exception {
        Throwable failure = failure(history, run);
        if (failure == null) {
            return;
        }
        List<TableStep> least = history;
        Throwable leastFailure = failure;
        for (int part = least.size() / 2; part >= 1; part /= 2) {
            for (int from = 0; from < least.size(); ) {
                List<TableStep> shorter = new ArrayList<>(least.subList(0, from));
                shorter.addAll(least.subList(Math.min(from + part, least.size()), least.size()));
                Throwable shorterFailure = failure(shorter, run);
                if (shorterFailure == null) {
                    from += part;
                } else {
                    least = shorter;
                    leastFailure = shorterFailure;
                }
            }
        }
        throw new AssertionError(leastFailure.getMessage() + "; shortest history: " + least, leastFailure);
    }

    private static @Nullable Throwable failure(List<TableStep> history, Run run) throws Exception {
        try {
            run.run(history);
            return null;
        } catch (Exception | AssertionError e) {
            return e;
        }
    }

    /** How often each kind of step occurs. */
    public static Map<String, Integer> statistics(List<TableStep> history) {
        Map<String, Integer> counts = new TreeMap<>();
        history.forEach(step -> counts.merge(step.getClass().getSimpleName(), 1, Integer::sum));
        return counts;
    }

    private TableStep step() {
        int choice = random.nextInt(100);
        if (choice < 45) {
            return new TableStep.Write(mutations());
        }
        if (choice < 65) {
            return new TableStep.Get(key(), random.nextInt(-2, 3));
        }
        if (choice < 77) {
            return new TableStep.Scan(range(), random.nextInt(-2, 3));
        }
        return switch (choice) {
            case 77, 78, 79 -> new TableStep.OpenSnapshot();
            case 80, 81, 82 -> new TableStep.CloseSnapshot(random.nextInt(4));
            case 83, 84, 85 -> new TableStep.Flush();
            case 86, 87, 88 -> new TableStep.Checkpoint();
            case 89 -> new TableStep.Optimize();
            case 90, 91 -> new TableStep.SyncLog();
            case 92, 93 -> new TableStep.Reopen();
            case 94, 95 -> crashes ? new TableStep.Crash(random.nextLong()) : new TableStep.Reopen();
            default -> new TableStep.Tick(random.nextInt(1, 2000));
        };
    }

    private List<Mutation> mutations() {
        int count = random.nextInt(4) == 0 ? random.nextInt(2, 12) : 1;
        List<Mutation> mutations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            mutations.add(random.nextInt(4) == 0 ? new Mutation.Remove(key()) : new Mutation.Put(key(), value()));
        }
        return mutations;
    }

    private byte[] key() {
        return key(random.nextInt(keys));
    }

    /** One of a fixed family of keys. */
    private static byte[] key(int number) {
        byte[] key = switch (number % 16) {
            case 0 -> new byte[number / 16 % 4];
            case 1 -> new byte[] {(byte) 0xFF, (byte) number};
            case 2 -> new byte[900 + number];
            case 3 -> new byte[] {(byte) 0x80};
            case 4 -> new byte[300];
            default -> new byte[8];
        };
        if (key.length >= 8) {
            key[0] = (byte) (number % 3 == 0 ? 0x90 : 0x20);
            key[key.length - 1] = (byte) number;
            key[key.length - 2] = (byte) (number >> 8);
        }
        return key;
    }

    private byte[] value() {
        int length = VALUE_LENGTHS[random.nextInt(random.nextInt(1, VALUE_LENGTHS.length + 1))];
        byte[] value = new byte[length];
        written++;
        for (int i = 0; i < length; i++) {
            value[i] = (byte) (written >> (i % 4 * 8));
        }
        return value;
    }

    private KeyRange range() {
        KeyRange range = random.nextInt(4) == 0 ? KeyRange.prefix(new byte[] {0x20, 0, 0}) : KeyRange.all();
        if (random.nextInt(3) > 0) {
            range = range.from(key(), random.nextBoolean());
        }
        if (random.nextInt(3) > 0) {
            range = range.to(key(), random.nextBoolean());
        }
        if (random.nextInt(4) == 0) {
            range = range.limit(random.nextInt(1, 20));
        }
        if (random.nextInt(4) == 0) {
            range = range.withoutValues();
        }
        return random.nextBoolean() ? range : range.reverse();
    }
}
