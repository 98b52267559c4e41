package io.kvstore.bench.duel;

import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.Shape;
import io.kvstore.bench.store.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The cases of the duel and the amount of their work. The command and each JVM that it starts get the same options. */
final class RunSettings {

    private static final long MOST_LOGGED_ENTRIES = 2_000_000;
    private static final long MOST_SMALL_ENTRIES = 1_000_000;

    @Option(names = "--entries", defaultValue = "5000000", description = "Entries. Default: ${DEFAULT-VALUE}")
    private long entries;

    @Option(names = "--gets", defaultValue = "3000000", description = "Gets of a case. Default: ${DEFAULT-VALUE}")
    private long gets;

    @Option(names = "--scans", defaultValue = "60000", description = "Scans of a case. Default: ${DEFAULT-VALUE}")
    private long scans;

    @Option(
            names = "--sync-millis",
            defaultValue = "10000",
            description =
                    "How long the cases with synced puts take, after half of it unmeasured. Default: ${DEFAULT-VALUE}")
    private long syncMillis;

    @Option(
            names = "--quiet-millis",
            defaultValue = "1000",
            description = "After a load, wait until the process was at rest for so long. Default: ${DEFAULT-VALUE}")
    private long quietMillis;

    @Option(
            names = "--budget-mib",
            defaultValue = "256",
            description = "Memory for caches, page buffers and memtables. Default: ${DEFAULT-VALUE}")
    private long budgetMib;

    @Option(
            names = "--small-budget-mib",
            defaultValue = "32",
            description = "The same for the cases that begin with small. Default: ${DEFAULT-VALUE}")
    private long smallBudgetMib;

    @Option(
            names = "--data",
            defaultValue = "WIDE",
            description = "WIDE: keys of 12 bytes, values of 500. NARROW: 8 and 8. SHORT: 8 and 100. LONG: 500 and 500."
                    + " PAGE: 12 and 4 KiB. PICTURE: 12 and 64 KiB."
                    + " Default: ${DEFAULT-VALUE}")
    private Shape shape = Shape.WIDE;

    @Option(names = "--cases", split = ",", description = "Cases by name, such as put-1,get-4. Default: all")
    private List<String> cases = List.of();

    /** The options in the form of the command line. */
    List<String> arguments() {
        List<String> all = new ArrayList<>(List.of(
                "--entries=" + entries,
                "--gets=" + gets,
                "--scans=" + scans,
                "--sync-millis=" + syncMillis,
                "--quiet-millis=" + quietMillis,
                "--budget-mib=" + budgetMib,
                "--small-budget-mib=" + smallBudgetMib,
                "--data=" + shape));
        if (!cases.isEmpty()) {
            all.add("--cases=" + String.join(",", cases));
        }
        return all;
    }

    /** The chosen cases in the order in which they run. */
    List<Case> cases() {
        return Case.ALL.stream()
                .filter(one -> cases.isEmpty() || cases.contains(one.name()))
                .toList();
    }

    /** The chosen names. None means all cases. */
    List<String> names() {
        return cases;
    }

    Shape shape() {
        return shape;
    }

    long budgetMib() {
        return budgetMib;
    }

    long quietMillis() {
        return quietMillis;
    }

    long syncMillis() {
        return syncMillis;
    }

    /** The number of entries that a contender gets in a store. */
    long entries(ContenderKind kind, Case.Home home) {
        long most = switch (home) {
            case MAIN, EMPTY, SYNC -> entries;
            case BUFFERED -> Math.min(entries, MOST_LOGGED_ENTRIES);
            case SMALL -> Math.min(entries, MOST_SMALL_ENTRIES);
        };
        return kind.entries(most);
    }

    /** The memory budget of a store. */
    long budgetBytes(Case.Home home) {
        return (home == Case.Home.SMALL ? smallBudgetMib : budgetMib) << 20;
    }

    /** The number of operations of a case, of all threads together. Synced puts go by time instead. */
    long operations(ContenderKind kind, Case one) {
        return switch (one.work()) {
            case PUT, PUT_IN_ORDER -> entries(kind, one.home());
            case OVERWRITE -> 3 * entries(kind, one.home());
            case REMOVE -> removed(entries(kind, one.home()));
            case GET, HOT, ABSENT, MIXED, GET_AND_PUT, PUT_HOT, QUEUE -> gets;
            case SCAN -> scans;
        };
    }

    /** How many numbers from 1 to below {@code entries} are no multiple of the kept part. */
    private static long removed(long entries) {
        return entries - 1 - (entries - 1) / Case.Work.KEPT_PART;
    }

    /** The lines of these settings in the head of the report. */
    List<String> lines() {
        return List.of(
                String.format(
                        Locale.ROOT,
                        "- %,d entries of %d + %d bytes in random order; %,d gets, %,d scans of %d entries; budget %d MiB",
                        entries,
                        shape.keyBytes(),
                        shape.valueBytes(),
                        gets,
                        scans,
                        Worker.SCAN_ENTRIES,
                        budgetMib),
                String.format(
                        Locale.ROOT,
                        "- %s: at most %,d entries; small: at most %,d, budget %d MiB, values inline; MVStore: at most %,d",
                        "put-buffered",
                        MOST_LOGGED_ENTRIES,
                        MOST_SMALL_ENTRIES,
                        smallBudgetMib,
                        ContenderKind.MVSTORE.entries(Long.MAX_VALUE)),
                "- put-sync: " + syncMillis + " ms; cases: " + (cases.isEmpty() ? "all" : String.join(", ", cases)));
    }

    @Override
    public String toString() {
        return String.join(" ", arguments());
    }

    /** Reads settings that {@link #toString} wrote. */
    static RunSettings parse(String line) {
        RunSettings settings = new RunSettings();
        new CommandLine(settings).parseArgs(line.split(" ", -1));
        return settings;
    }
}
