package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Durability;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;

/**
 * Damage at rest: whatever is done to the bytes of any file, the store says the truth or a typed error. {@code
 * -Dkv.damage.flips=} asks for so many flips, and {@code -Dkv.fault.all=true} for more flips and regions than the least.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class StoreDamageContract {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final int WRITABLE_ONE_IN = 16;
    private static final int LOG_HEAD_BYTES = 4096;
    private static final int SHARE = 3;
    private static final int FLIP_SHARE = 6;

    /** Short and long ones, of garbage and of zeros. */
    private static final int REGION_KINDS = 4;

    private final Tally tally = new Tally();
    private final SplittableRandom random = new SplittableRandom(7);
    private final List<GoldenStore> stores = new ArrayList<>();
    private int damagedAt;

    /** The engine of the tables; others besides. */
    protected abstract List<StoreScenario.Engine> engines();

    /** How many flips to make when all are asked for. Otherwise it is a share of them. */
    protected abstract int mostFlips();

    @BeforeAll
    void makeStores() {
        QUIET.setLevel(Level.OFF);
        StoreScenario.Engine[] engines = engines().toArray(StoreScenario.Engine[]::new);
        for (Durability durability : Durability.values()) {
            StoreScenario scenario = StoreScenario.of(durability, engines);
            stores.add(new GoldenStore(scenario, true, 11, tally));
            stores.add(new GoldenStore(scenario, false, 12, tally));
            stores.add(new GoldenStore(scenario, false, 13, tally));
        }
    }

    /** One way to damage a file. */
    private interface Damage {
        byte[] of(byte[] bytes);
    }

    @Test
    void no_flipped_bit_is_believed() throws IOException {
        int wanted = Integer.getInteger("kv.damage.flips", Sweeps.count(mostFlips() / FLIP_SHARE, mostFlips()));
        for (GoldenStore store : stores) {
            List<String> paths = store.disk().files().stream()
                    .filter(path ->
                            !path.equals("LOCK") && !path.endsWith("/LABEL")) // nobody reads it beside a catalog
                    .toList();
            for (int i = 0; i < wanted / stores.size() + 1; i++) {
                String path = paths.get(i % paths.size());
                damage("flip", store, path, this::flip);
            }
        }
        assertTrue(tally.ofGroup("flip") >= wanted, "too few flips");
        assertTrue(tally.of("flip.REPORTED") > 0, "no record was hit that all tables hold");
        assertTrue(tally.of("flip.TRUE") < wanted / 2, "most flips hit bytes that mean nothing");
    }

    private byte[] flip(byte[] bytes) {
        if (bytes.length > 0) {
            int used = used(bytes);
            int bound = random.nextInt(10) == 0 || used == 0 ? bytes.length : used;
            bytes[random.nextInt(bound)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }

    private static int used(byte[] bytes) {
        int used = bytes.length;
        while (used > 0 && bytes[used - 1] == 0) {
            used--;
        }
        return used;
    }

    @Test
    void no_damaged_region_is_believed() throws IOException {
        int each = Integer.getInteger("kv.damage.regions", Sweeps.count(REGION_KINDS, SHARE * REGION_KINDS));
        for (GoldenStore store : stores) {
            for (String path : store.disk().files()) {
                for (int i = 0; i < each; i++) {
                    int length = i % 2 == 0 ? 512 : 4096;
                    boolean garbage = i % 4 < 2;
                    damage("region", store, path, bytes -> region(bytes, length, garbage));
                    damage("truncation", store, path, bytes -> Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
                }
                damage("truncation", store, path, bytes -> new byte[0]);
                damage("truncation", store, path, bytes -> Arrays.copyOf(bytes, Math.max(0, bytes.length - 1)));
                damage("extension", store, path, this::extend);
            }
        }
    }

    private byte[] region(byte[] bytes, int length, boolean garbage) {
        int used = Math.max(used(bytes), 1);
        int from = random.nextInt(used) / length * length;
        int to = Math.min(from + length, bytes.length);
        byte[] content = new byte[Math.max(to - from, 0)];
        if (garbage) {
            random.nextBytes(content);
        }
        System.arraycopy(content, 0, bytes, from, content.length);
        return bytes;
    }

    private byte[] extend(byte[] bytes) {
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(5_000));
        for (int i = bytes.length; i < longer.length; i++) {
            longer[i] = (byte) random.nextInt();
        }
        return longer;
    }

    @Test
    void missing_foreign_and_old_files_are_noticed() throws IOException {
        for (GoldenStore store : stores) {
            GoldenStore foreign = new GoldenStore(store.scenario(), store.isSealed(), 99, tally);
            for (String path : store.disk().files()) {
                SimStorage without = store.disk().kill();
                without.delete(path);
                judge("missing", store, without, path, false);
                if (foreign.disk().exists(path)) {
                    damage("foreign", store, path, bytes -> bytesOf(foreign.disk(), path));
                }
                for (SimStorage old : store.older()) {
                    if (old.exists(path)) {
                        damage("older", store, path, bytes -> bytesOf(old, path));
                    }
                }
            }
        }
    }

    private static byte[] bytesOf(SimStorage disk, String path) {
        try {
            return disk.bytes(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Damages a file, judges, and repairs it. */
    private void damage(String how, GoldenStore store, String path, Damage damage) throws IOException {
        byte[] sound = store.disk().bytes(path);
        byte[] bytes = damage.of(sound.clone());
        damagedAt = Arrays.mismatch(sound, bytes);
        if (damagedAt < 0) {
            return;
        }
        if (random.nextInt(WRITABLE_ONE_IN) == 0) {
            SimStorage copy = store.disk().kill();
            copy.replace(path, bytes);
            judge(how, store, copy, path, false);
        } else {
            store.disk().replace(path, bytes);
            try {
                judge(how, store, store.disk(), path, true);
            } finally {
                store.disk().replace(path, sound);
            }
        }
    }

    private void judge(String how, GoldenStore store, SimStorage disk, String path, boolean readOnly) {
        boolean flip = how.equals("flip");
        boolean wholeFile = how.equals("missing") || how.equals("older");
        StoreDamage.Exempt exempt = StoreDamage.Exempt.NOTHING;
        if (wholeFile && path.startsWith("tables/")) {
            exempt = StoreDamage.Exempt.OLDER_UNLOGGED;
        } else if (how.equals("older") && path.equals("CATALOG")) {
            exempt = StoreDamage.Exempt.OLDER_NAMES;
        }
        StoreDamage judge = new StoreDamage(store, exempt, flip ? store.stated() : 0);
        StoreDamage.Verdict verdict = judge.judge(disk, readOnly);
        tally.count(how + "." + verdict);
        tally.count("file " + how + "." + GoldenStore.kind(path));
        boolean believed = switch (verdict) {
            case TRUE, TABLE_FAILED, READ_FAILED -> false;
            case REFUSED -> flip && isHeldRecord(store, path);
            case REPORTED -> !path.startsWith("wal/");
            case TORN_END -> !path.startsWith("wal/");
            case TORN_END_OF_ZEROS -> flip || !path.startsWith("wal/");
            case OLDER_UNLOGGED, OLDER_NAMES -> exempt == StoreDamage.Exempt.NOTHING;
            case LIE -> true;
        };
        if (believed) {
            throw new AssertionError(how + " of " + path + " of a " + (store.isSealed() ? "sealed " : "killed ")
                    + store.scenario().name() + (readOnly ? " read-only" : "") + " is believed: " + verdict + ", "
                    + judge.says());
        }
        assertEquals(0, disk.openResources(), how + " of " + path + " leaves something open");
    }

    /** After a checkpoint of all tables nothing is lost with a record, so its damage must not keep the store from opening. */
    private boolean isHeldRecord(GoldenStore store, String path) {
        return store.isSealed() && path.startsWith("wal/") && damagedAt >= LOG_HEAD_BYTES;
    }

    @AfterAll
    void report(TestReporter reporter) {
        tally.report(reporter, "Damage, " + getClass().getSimpleName());
    }
}
