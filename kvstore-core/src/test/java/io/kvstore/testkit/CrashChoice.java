package io.kvstore.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a power loss leaves of the operations that were not durable. They are numbered from 0 in the order in which they
 * were made, over all files and directories; {@link SimStorage#pendingOperations()} counts them.
 */
public sealed interface CrashChoice {

    /** Nothing of them. */
    record DropAll() implements CrashChoice {}

    /** All of them. */
    record KeepAll() implements CrashChoice {}

    /** The first {@code count}. */
    record Prefix(int count) implements CrashChoice {}

    /** The first {@code count}, and of the next, which is a write, the first {@code sectors} sectors. */
    record Torn(int count, int sectors) implements CrashChoice {}

    /** All but one. */
    record DropOne(int index) implements CrashChoice {}

    /** One alone. */
    record KeepOne(int index) implements CrashChoice {}

    /**
     * Any of their sectors and directory entries.
     *
     * @param seed decides which
     * @param garbage whether sectors that were being written may hold neither old nor new bytes
     */
    record Random(long seed, boolean garbage) implements CrashChoice {}

    /** Every choice but the random ones for so many pending operations, and {@code randoms} of those. */
    static List<CrashChoice> enumerate(int pendingOperations, int randoms, long seed) {
        List<CrashChoice> all = new ArrayList<>();
        all.add(new DropAll());
        all.add(new KeepAll());
        for (int i = 0; i < pendingOperations; i++) {
            if (i > 0) {
                all.add(new Prefix(i));
            }
            all.add(new Torn(i, 1));
            all.add(new DropOne(i));
            all.add(new KeepOne(i));
        }
        for (int i = 0; i < randoms; i++) {
            all.add(new Random(seed + i, false));
        }
        return all;
    }

    /** What becomes of one sector of a write. */
    enum Fate {
        KEPT,
        DROPPED,
        /** The first part new, the rest as it was: only of a mapping, which is written while the disk reads it. */
        TORN,
        GARBAGE
    }

    /** Decides operation by operation, in order; one picker for one crash. */
    final class Picker {

        private final CrashChoice choice;
        private final SplittableRandom random;
        private final double keepShare;
        private double operationShare;
        private boolean lengthKept;

        Picker(CrashChoice choice) {
            this.choice = choice;
            this.random = new SplittableRandom(choice instanceof Random any ? any.seed() : 0);
            this.keepShare = switch (random.nextInt(3)) {
                case 0 -> 0.1;
                case 1 -> 0.5;
                default -> 0.9;
            };
        }

        /** Begins an operation; whether it is kept, if it is one that is never torn. */
        boolean keeps(int index) {
            boolean kept = switch (choice) {
                case DropAll() -> false;
                case KeepAll() -> true;
                case Prefix(int count) -> index < count;
                case Torn(int count, int sectors) -> index < count;
                case DropOne(int one) -> index != one;
                case KeepOne(int one) -> index == one;
                case Random any -> random.nextDouble() < keepShare;
            };
            operationShare = random.nextInt(3) == 0 ? random.nextDouble() : kept ? 1 : 0;
            lengthKept = kept;
            return kept;
        }

        /** What becomes of the n-th sector of the write that was begun last. */
        Fate sector(int index, int n, boolean mapped) {
            return switch (choice) {
                case Torn(int count, int sectors) ->
                    index < count || (index == count && n < sectors) ? Fate.KEPT : Fate.DROPPED;
                case Random(long seed, boolean garbage) -> randomFate(mapped, garbage);
                default -> lengthKept ? Fate.KEPT : Fate.DROPPED;
            };
        }

        private Fate randomFate(boolean mapped, boolean garbage) {
            boolean kept = random.nextDouble() < operationShare;
            if (kept && mapped && random.nextInt(8) == 0) {
                return Fate.TORN;
            }
            if (garbage && random.nextInt(8) == 0) {
                return Fate.GARBAGE;
            }
            return kept ? Fate.KEPT : Fate.DROPPED;
        }

        /** Whether the file is as long as the write that was begun last made it, though its bytes may be lost. */
        boolean keepsLength() {
            return lengthKept || (choice instanceof Random && random.nextInt(4) == 0);
        }

        /** A number below {@code bound}. */
        int number(int bound) {
            return random.nextInt(bound);
        }

        /** Bytes that were never written. */
        void fill(byte[] bytes) {
            random.nextBytes(bytes);
        }
    }
}
