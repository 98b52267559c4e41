package io.kvstore.testkit;

import io.kvstore.data.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * All programs of up to three operations on a small store, each crashed before its storage operations. Most defects of this
 * kind need no more than that.
 */
final class ProgramSweep {

    /** An operation of a program. */
    enum Step {
        PUT,
        REMOVE,
        BATCH,
        FLUSH,
        CHECKPOINT,
        CREATE,
        DROP,
        TRUNCATE,
        REOPEN
    }

    private final StoreScenario scenario;
    private final List<Step> program;
    private final SplittableRandom random;
    private final double share;
    private final StoreLedger ledger = new StoreLedger();
    private final SimStorage disk = new SimStorage();
    private final ImageCheck check;
    private final StoreWorkload workload;
    private boolean inside;
    private @Nullable AssertionError failure;

    /** @param share of the storage operations before which a crash is tried */
    ProgramSweep(StoreScenario scenario, List<Step> program, long seed, double share, Tally tally) {
        this.scenario = scenario;
        this.program = program;
        this.random = new SplittableRandom(seed);
        this.share = share;
        this.check = new ImageCheck(scenario, ledger, random, tally);
        this.workload = new StoreWorkload(scenario, StoreSession.open(scenario, disk), ledger, seed, tally);
    }

    /**
     * Every program of one to {@code length} operations.
     *
     * @param isWhole or of the longest ones only a third, in which each operation follows on all others
     */
    static List<List<Step>> programs(int length, boolean isWhole) {
        List<List<Step>> all = new ArrayList<>();
        List<List<Step>> shorter = List.of(List.of());
        for (int i = 0; i < length; i++) {
            List<List<Step>> longer = new ArrayList<>();
            for (List<Step> program : shorter) {
                for (Step step : Step.values()) {
                    List<Step> next = new ArrayList<>(program);
                    next.add(step);
                    if (isWhole
                            || i < length - 1
                            || next.stream().mapToInt(Step::ordinal).sum() % 3 == 0) {
                        longer.add(next);
                    }
                }
            }
            all.addAll(longer);
            shorter = longer;
        }
        return all;
    }

    void run() {
        workload.prepare();
        workload.tables().forEach(workload::put);
        disk.observe(() -> {
            if (random.nextDouble() < share) {
                image();
            }
        });
        program.forEach(this::run);
        image();
        disk.observe(() -> {});
        workload.close();
        if (failure != null || !workload.errors().isEmpty()) {
            throw new AssertionError(program + ": " + workload.errors(), failure);
        }
    }

    private void run(Step step) {
        List<String> tables = workload.tables();
        String table = tables.get(random.nextInt(tables.size()));
        switch (step) {
            case PUT -> workload.put(table);
            case REMOVE -> workload.remove(table);
            case BATCH -> workload.batch(table);
            case FLUSH -> workload.flush(table, false);
            case CHECKPOINT -> workload.checkpoint();
            case CREATE -> workload.createTable(random.nextBoolean(), Durability.BUFFERED);
            case DROP -> {
                if (tables.size() > 1) {
                    workload.dropTable(table);
                }
            }
            case TRUNCATE -> workload.truncate(table);
            case REOPEN -> {
                workload.close();
                workload.continueWith(StoreSession.open(scenario, disk));
            }
        }
    }

    private void image() {
        if (!inside) {
            inside = true;
            try {
                check.check(check.crash(disk, true), false);
            } catch (AssertionError e) {
                failure = failure == null ? e : failure;
            } finally {
                inside = false;
            }
        }
    }
}
