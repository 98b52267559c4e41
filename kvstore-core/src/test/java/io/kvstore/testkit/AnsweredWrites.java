package io.kvstore.testkit;

import io.kvstore.data.Condition;
import io.kvstore.data.Merge;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Random writes that rest on the present value, or tell it: conditions, merges and exchanges. */
final class AnsweredWrites {

    /** Merges let values grow to about this size. */
    private static final int MERGED_BYTES = 200_000;

    private final StoreWorkload workload;
    private final StoreLedger ledger;
    private final SplittableRandom random;
    private final Tally tally;
    private boolean merges = true;

    AnsweredWrites(StoreWorkload workload, StoreLedger ledger, SplittableRandom random, Tally tally) {
        this.workload = workload;
        this.ledger = ledger;
        this.random = random;
        this.tally = tally;
    }

    /** From now on there are conditions only. */
    void withoutMerges() {
        merges = false;
    }

    /** Does one of them. */
    void step(String name) {
        byte[] key = workload.bytes().key();
        byte[] current = ledger.live(workload.home(name).uid()).get(key);
        int choice = merges ? random.nextInt(10) : 0;
        if (choice < 5) {
            conditional(name, key, current);
        } else if (choice < 8 && (current == null || current.length < MERGED_BYTES)) {
            merge(name, key, current);
        } else {
            exchange(name, key, current);
        }
    }

    private void conditional(String name, byte[] key, byte @Nullable [] current) {
        StoreLedger.Home home = workload.home(name);
        Condition condition = switch (random.nextInt(4)) {
            case 0 -> new Condition.Absent(key);
            case 1 -> new Condition.Exists(key);
            case 2 -> new Condition.ValueIs(key, current == null ? new byte[1] : current);
            default -> new Condition.ValueIs(key, new byte[] {1});
        };
        byte[] value = random.nextInt(4) == 0 ? null : workload.bytes().value();
        boolean holds = condition.holds(current);
        tally.count(holds ? "op.condition holds" : "op.condition fails");
        workload.write(List.of(StoreWorkload.change(home, key, value)), home, home.level(), given -> {
            boolean applied = value == null
                    ? workload.table(name).removeIf(condition, key, given)
                    : workload.table(name).putIf(condition, key, value, given);
            if (applied != holds) {
                throw new AssertionError(condition + " on " + name + " was " + applied + ", should be " + holds);
            }
            return applied;
        });
    }

    private void merge(String name, byte[] key, byte @Nullable [] current) {
        StoreLedger.Home home = workload.home(name);
        byte[] bytes = workload.bytes().value();
        int length = current == null ? 0 : current.length;
        Merge merge = random.nextBoolean()
                ? new Merge.Append(key, bytes)
                : new Merge.Patch(key, random.nextInt(length + 1), bytes);
        byte[] result = merge.on(current);
        tally.count("op.merge");
        workload.write(List.of(StoreWorkload.change(home, key, result)), home, home.level(), given -> {
            if (!Arrays.equals(result, workload.table(name).merge(merge, given))) {
                throw new AssertionError(merge + " on " + name + " has another result");
            }
            return true;
        });
    }

    private void exchange(String name, byte[] key, byte @Nullable [] current) {
        StoreLedger.Home home = workload.home(name);
        byte[] value = random.nextInt(3) == 0 ? null : workload.bytes().value();
        tally.count("op.exchange");
        workload.write(List.of(StoreWorkload.change(home, key, value)), home, home.level(), given -> {
            byte[] previous = value == null
                    ? workload.table(name).getAndRemove(key, given)
                    : workload.table(name).getAndPut(key, value, given);
            if (!Arrays.equals(current, previous)) {
                throw new AssertionError("an exchange on " + name + " has another previous value");
            }
            return value != null || previous != null;
        });
    }
}
