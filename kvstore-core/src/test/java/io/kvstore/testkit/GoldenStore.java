package io.kvstore.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A small store on disk that is damaged again and again, and what it holds. Its last commits came after the last watermark;
 * before them the log had been idle, so that a watermark covers everything else.
 */
final class GoldenStore {

    private static final int OPERATIONS = 70;
    private static final int LAST_OPERATIONS = 4;
    private static final long IDLE_MILLIS = 3_000;

    private final StoreScenario scenario;
    private final boolean sealed;
    private final SimStorage disk;
    private final StoreLedger ledger = new StoreLedger();
    private final List<SimStorage> older = new ArrayList<>();
    private final int stated;
    private final StoreContent content;

    /** @param sealed whether the store was closed; else its process was killed */
    GoldenStore(StoreScenario scenario, boolean sealed, long seed, Tally tally) {
        this.scenario = scenario;
        this.sealed = sealed;
        SimStorage made = new SimStorage();
        StoreSession session = StoreSession.open(scenario, made);
        StoreWorkload workload = new StoreWorkload(scenario, session, ledger, seed, tally);
        workload.withoutMerges(); // their many dead values would be hit instead of live ones
        workload.prepare();
        for (int i = 0; i < OPERATIONS; i++) {
            workload.step();
            if (i % (OPERATIONS / 3) == 5) {
                workload.checkpoint();
                older.add(made.kill());
            }
        }
        session.background().tick(IDLE_MILLIS);
        stated = ledger.loggedLeast(false);
        for (int i = 0; i < LAST_OPERATIONS; i++) {
            workload.stepLogged();
        }
        if (sealed) {
            workload.close();
            disk = made;
        } else {
            session.abandon();
            disk = made.kill();
            made.powerOff();
        }
        SimStorage copy = disk.kill();
        StoreSession again = StoreSession.open(scenario, copy);
        content = again.content();
        LedgerCheck.check(ledger, content, ledger.loggedLeast(false));
        again.close();
    }

    StoreScenario scenario() {
        return scenario;
    }

    boolean isSealed() {
        return sealed;
    }

    /** The files. Whoever damages them repairs them, or works on a copy. */
    SimStorage disk() {
        return disk;
    }

    /** The disk at earlier moments. */
    List<SimStorage> older() {
        return older;
    }

    StoreContent content() {
        return content;
    }

    StoreLedger ledger() {
        return ledger;
    }

    /** How many logged commits a watermark covers. */
    int stated() {
        return sealed ? ledger.loggedCommits() : stated;
    }

    /** Kinds of file by path, for reports. */
    static String kind(String path) {
        String kind = path.startsWith("wal/") ? "log" : path.startsWith("tables/") ? "table" : path;
        int dot = path.lastIndexOf('.');
        return kind.equals("table")
                ? "table " + (dot > 0 ? path.substring(dot) : path.substring(path.lastIndexOf('/') + 1))
                : kind;
    }

    /** Sizes of the files by path. */
    Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        for (String path : disk.files()) {
            try {
                sizes.put(path, disk.bytes(path).length);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return sizes;
    }
}
