package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Durability;
import io.kvstore.io.Storage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Mistakes planted below and above the store: the crash images have to find every one, or they prove nothing. */
final class PlantedStoreBugsTest {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final StoreScenario.Engine MODEL = new StoreScenario.Engine("MODEL", Map.of());
    private static final int SEEDS = 120;
    private static final int OPERATIONS = 80;

    private final Tally tally = new Tally();

    /** A call that is left out, when the path is one of those meant. */
    private static UnaryOperator<Storage> without(String method, Predicate<String> path) {
        return inner -> HookedStorage.over(
                inner, (name, of, proceed) -> name.equals(method) && path.test(of) ? null : proceed.call());
    }

    private static UnaryOperator<Storage> withoutEvery(int nth, String method) {
        AtomicInteger calls = new AtomicInteger();
        return inner -> HookedStorage.over(
                inner,
                (name, of, proceed) ->
                        name.equals(method) && calls.incrementAndGet() % nth == 0 ? null : proceed.call());
    }

    private static Storage renameInTwoSteps(Storage inner) {
        return HookedStorage.over(inner, (name, of, proceed) -> {
            if (name.equals("rename") && of.equals("CATALOG.tmp")) {
                inner.delete("CATALOG");
                inner.syncDirectory("");
            }
            return proceed.call();
        });
    }

    private static Map<String, UnaryOperator<Storage>> brokenStorages() {
        Map<String, UnaryOperator<Storage>> all = new LinkedHashMap<>();
        all.put("no sync of files", without("sync", path -> true));
        all.put("no sync of the log", without("sync", path -> path.startsWith("wal/")));
        all.put("no sync of table files", without("sync", path -> path.startsWith("tables/")));
        all.put("no sync of the catalog", without("sync", path -> path.startsWith("CATALOG")));
        all.put("every 5th sync is left out", withoutEvery(5, "sync"));
        all.put("no sync of mappings", without("force", path -> true));
        all.put("no sync of directories", without("syncDirectory", path -> true));
        all.put("no sync of the top directory", without("syncDirectory", String::isEmpty));
        all.put("no sync of the log's directory", without("syncDirectory", path -> path.equals("wal")));
        all.put("no sync of tables", without("syncDirectory", path -> path.equals("tables")));
        all.put("no sync of a table's directory", without("syncDirectory", path -> path.startsWith("tables/")));
        all.put("every 20th write is lost", withoutEvery(20, "write"));
        all.put("files are not closed", without("close", path -> path.startsWith("tables/")));
        all.put("renames are lost", without("rename", path -> path.startsWith("tables/")));
        all.put("a rename in two steps", PlantedStoreBugsTest::renameInTwoSteps);
        return all;
    }

    @Test
    void every_broken_storage_is_found(TestReporter reporter) {
        QUIET.setLevel(Level.OFF);
        List<String> missed = new ArrayList<>();
        brokenStorages().forEach((name, broken) -> look(name, broken, null, missed));
        tally.report(reporter, "Planted mistakes below the store");
        assertEquals(List.of(), missed, "planted mistakes that were not found");
    }

    @Test
    void every_broken_promise_is_found(TestReporter reporter) {
        QUIET.setLevel(Level.OFF);
        List<String> missed = new ArrayList<>();
        for (StoreWorkload.Mischief mischief : StoreWorkload.Mischief.values()) {
            look(mischief.name(), sound -> sound, mischief, missed);
        }
        assertEquals(List.of(), missed, "planted mistakes that were not found");
        tally.report(reporter, "Planted mistakes above the store");
    }

    private void look(
            String name, UnaryOperator<Storage> seen, StoreWorkload.@Nullable Mischief mischief, List<String> missed) {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Durability durability = seed % 2 == 0 ? Durability.SYNC : Durability.BUFFERED;
            try {
                CrashSweep sweep = new CrashSweep(StoreScenario.of(durability, MODEL), seed, 0.02, new Tally(), seen);
                sweep.make(mischief);
                sweep.run(OPERATIONS);
            } catch (AssertionError | RuntimeException e) {
                tally.add("planted." + name + ", runs until found", seed);
                return;
            }
        }
        missed.add(name);
    }

    @Test
    void a_changed_value_with_the_right_checksum_is_called_a_lie() throws Exception {
        QUIET.setLevel(Level.OFF);
        boolean lie = false;
        for (long seed = 1; seed < 20 && !lie; seed++) {
            GoldenStore golden = new GoldenStore(StoreScenario.of(Durability.SYNC, MODEL), true, seed, new Tally());
            for (Map.Entry<String, StoreLedger.Home> entry :
                    golden.ledger().names().entrySet()) {
                if (entry.getValue().uid() > 0 && !entry.getValue().logged()) {
                    SimStorage forged = golden.disk().kill();
                    try (StoreSession session = StoreSession.open(golden.scenario(), forged)) {
                        StoreWorkload.tableOf(session.store(), entry.getKey()).put("forged", new byte[] {1});
                    }
                    lie |= new StoreDamage(golden, StoreDamage.Exempt.NOTHING, 0).judge(forged, true)
                            == StoreDamage.Verdict.LIE;
                }
            }
        }
        assertTrue(lie, "a forged entry is not noticed");
    }
}
