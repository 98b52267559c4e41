package io.kvstore.testkit;

import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.error.CorruptionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Opens what a crash left and compares it with the ledger; verifies it; writes one key; ends the store once more in one way
 * or another, opens it again and compares again. Nothing may stay open or lie about.
 */
final class ImageCheck {

    private static final int NESTED_PER_IMAGE = 3;

    private final StoreScenario scenario;
    private final StoreLedger ledger;
    private final SplittableRandom random;
    private final Tally tally;
    private final List<CrashImage> nested = new ArrayList<>();

    ImageCheck(StoreScenario scenario, StoreLedger ledger, SplittableRandom random, Tally tally) {
        this.scenario = scenario;
        this.ledger = ledger;
        this.random = random;
        this.tally = tally;
    }

    /** Checks an image; with {@code nest} also what crashes during its recovery leave. */
    void check(CrashImage image, boolean nest) {
        tally.count("image." + image.kind());
        try {
            checkImage(image, nest);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("after " + image.kind() + ": " + e.getMessage(), e);
        }
    }

    private void checkImage(CrashImage image, boolean nest) {
        if (nest) {
            int gap = 2 + random.nextInt(25);
            int[] left = {random.nextInt(gap)};
            image.disk().observe(() -> {
                if (left[0]-- == 0 && nested.size() < NESTED_PER_IMAGE) {
                    left[0] = gap;
                    nested.add(crash(image.disk(), false));
                }
            });
        }
        StoreSession session;
        try {
            session = StoreSession.open(anyLanding(), image.disk());
        } catch (CorruptionException e) {
            throw new AssertionError("a store that only crashed is called damaged: " + e.getMessage(), e);
        }
        image.disk().observe(() -> {});
        StoreContent content = session.content();
        StoreLedger.Recovered recovered = LedgerCheck.check(ledger, content, ledger.loggedLeast(image.powerLoss()));
        tally.count(session.store().recovery().tornBytes() > 0 ? "outcome.torn tail" : "outcome.whole log");
        tally.count(session.store().recovery().applied() > 0 ? "outcome.replayed" : "outcome.nothing to replay");
        verify(session);
        for (CrashImage inner : nested) {
            checkNested(image, inner, content);
        }
        nested.clear();
        goOn(session, image.disk(), content, recovered);
    }

    /** A log of either landing is opened with either. */
    private StoreScenario anyLanding() {
        return random.nextInt(4) == 0
                ? scenario.withDurability(scenario.isMapped() ? Durability.SYNC : Durability.BUFFERED)
                : scenario;
    }

    /** What a crash at this moment leaves. */
    CrashImage crash(SimStorage disk, boolean mayHaveGarbage) {
        if (random.nextInt(6) == 0) {
            return CrashImage.kill(disk);
        }
        int pending = disk.pendingOperations();
        int one = random.nextInt(Math.max(pending, 1));
        return CrashImage.powerLoss(
                disk,
                switch (random.nextInt(mayHaveGarbage ? 10 : 9)) {
                    case 0 -> new CrashChoice.DropAll();
                    case 1 -> new CrashChoice.KeepAll();
                    case 2 -> new CrashChoice.Prefix(one);
                    case 3 -> new CrashChoice.Torn(one, 1 + random.nextInt(3));
                    case 4 -> new CrashChoice.DropOne(one);
                    case 5 -> new CrashChoice.KeepOne(one);
                    case 9 -> new CrashChoice.Random(random.nextLong(), true);
                    default -> new CrashChoice.Random(random.nextLong(), false);
                });
    }

    private void checkNested(CrashImage outer, CrashImage inner, StoreContent first) {
        tally.count("nested." + inner.kind());
        try (StoreSession session = StoreSession.open(anyLanding(), inner.disk())) {
            StoreContent content = session.content();
            if (outer.powerLoss() || !inner.powerLoss()) {
                if (!content.equals(first)) {
                    throw new AssertionError("a crash during recovery changed what is recovered");
                }
            } else {
                LedgerCheck.check(ledger, content, ledger.loggedLeast(true));
            }
            verify(session);
        }
    }

    private static void verify(StoreSession session) {
        if (session.store().verify().total() > 0) {
            throw new AssertionError("verify found " + session.store().verify().kept());
        }
    }

    /** Writes one key, ends the store, and opens it again. */
    private void goOn(StoreSession session, SimStorage disk, StoreContent content, StoreLedger.Recovered recovered) {
        String name = loggedTable(session, recovered, content);
        byte[] key = {1, 2, 3};
        byte[] value = new byte[random.nextInt(300)];
        StoreWorkload.tableOf(session.store(), name).put(key, value, Durability.SYNC);
        StoreContent.TableContent table = content.tables().get(name);
        if (table == null) {
            throw new IllegalStateException("no table " + name);
        }
        table.entries().put(new Bytes(key), new Bytes(value));
        SimStorage next = end(session, disk);
        StoreSession again = StoreSession.open(anyLanding(), next);
        StoreContent found = again.content();
        if (!found.equals(content)) {
            throw new AssertionError("the store changed between two openings: " + content.difference(found));
        }
        verify(again);
        checkFiles(again, next);
        again.close();
    }

    private SimStorage end(StoreSession session, SimStorage disk) {
        int way = random.nextInt(4);
        if (way < 2) {
            session.close();
            return disk;
        }
        session.abandon();
        SimStorage next = way == 2 ? disk.kill() : disk.crash(new CrashChoice.Random(random.nextLong(), false));
        disk.powerOff();
        return next;
    }

    private String loggedTable(StoreSession session, StoreLedger.Recovered recovered, StoreContent content) {
        for (Map.Entry<String, StoreLedger.Home> entry : recovered.names().entrySet()) {
            if (entry.getValue().logged()) {
                return entry.getKey();
            }
        }
        StoreScenario.Engine engine = scenario.engines().getFirst();
        session.store().createDB("after");
        session.store()
                .createTable("after", "t", engine.name(), StoreScenario.properties(engine, true, Durability.SYNC));
        content.databases().put("after", new TreeMap<>(Map.of("t", new StoreContent.TableContent())));
        return "after/t";
    }

    private static void checkFiles(StoreSession session, SimStorage disk) {
        Set<String> listed = new TreeSet<>();
        for (String name : session.content().tables().keySet()) {
            Table table = StoreWorkload.tableOf(session.store(), name);
            listed.add(String.format(Locale.ROOT, "%010d", table.id()));
        }
        try {
            Set<String> there = new TreeSet<>(disk.list("tables"));
            if (!there.equals(listed)) {
                throw new AssertionError("there are directories " + there + " and tables " + listed);
            }
            for (String file : disk.list("wal")) {
                if (!file.endsWith(".wal")) {
                    throw new AssertionError("wal/" + file + " lies about");
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
