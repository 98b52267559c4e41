package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StorageException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens a damaged store and judges what it says: the truth, a typed error, or a lie.
 *
 * <p>There are exempt windows. Records of a log that was not sealed, above its newest surviving watermark, are a torn end
 * if they are damaged; then the store has to say that it cut off bytes, unless only zeros are left of them, and to hold a
 * prefix of the commits. And a table without a log that has lost a whole file, or got an older one, may show an older
 * checkpoint, until the catalog has noted the newer one. An older catalog is noticed
 * by what the log has of younger tables and by the segments it misses; without either, the names are those it has.
 */
final class StoreDamage {

    /** What a damaged store does. */
    enum Verdict {
        TRUE,
        /** The truth, and what is damaged in the log was reported, because no table needs it. */
        REPORTED,
        REFUSED,
        TABLE_FAILED,
        READ_FAILED,
        /** In the exempt window, and reported. */
        TORN_END,
        /** In the exempt window, with nothing left behind the cut that could be reported. */
        TORN_END_OF_ZEROS,
        /** An older checkpoint of a table without a log. */
        OLDER_UNLOGGED,
        /** Names as they were, because nothing in the log tells of the newer ones. */
        OLDER_NAMES,
        LIE
    }

    private final GoldenStore golden;
    private final Exempt exempt;
    private final int least;
    private String says = "";

    /** What besides a torn end may be shown. */
    enum Exempt {
        NOTHING,
        OLDER_UNLOGGED,
        OLDER_NAMES
    }

    /**
     * @param exempt what besides a torn end may be shown
     * @param least how many logged commits a surviving watermark covers
     */
    StoreDamage(GoldenStore golden, Exempt exempt, int least) {
        this.golden = golden;
        this.exempt = exempt;
        this.least = least;
    }

    /** What was found at the last judgement that is not the truth. */
    String says() {
        return says;
    }

    /**
     * Opens, reads everything, verifies and closes.
     *
     * @param readOnly whether to open without writing; the disk is then as before
     */
    Verdict judge(SimStorage disk, boolean readOnly) {
        StepClock clock = new StepClock();
        StepBackground background = new StepBackground(clock);
        try {
            try (KVStore store = new KVStore(
                    Path.of("unused"),
                    golden.scenario().options(disk, clock, background).withReadOnly(readOnly))) {
                return judge(store);
            }
        } catch (CorruptionException | StorageException e) {
            says = String.valueOf(e.getMessage());
            return Verdict.REFUSED;
        } finally {
            background.close();
        }
    }

    private Verdict judge(KVStore store) {
        Map<String, Map<String, StoreContent.TableContent>> databases = new TreeMap<>();
        Verdict damaged = null;
        for (String database : store.databases()) {
            Map<String, StoreContent.TableContent> tables = new TreeMap<>();
            for (String name : store.tables(database)) {
                Verdict verdict = read(store.table(database, name), database + "/" + name, tables);
                damaged = verdict == null ? damaged : verdict;
            }
            databases.put(database, tables);
        }
        StoreContent found = new StoreContent(databases);
        if (damaged != null) {
            return othersAreTrue(found) ? damaged : inWindow(store, found);
        }
        if (found.equals(golden.content())) {
            return store.recovery().damages().isEmpty() ? Verdict.TRUE : Verdict.REPORTED;
        }
        return inWindow(store, found);
    }

    /** Reads one table by scan, by key and by verification; null if nothing failed. */
    private @Nullable Verdict read(Table table, String path, Map<String, StoreContent.TableContent> tables) {
        try {
            if (table.stats().failure() != null) {
                return Verdict.TABLE_FAILED;
            }
            StoreContent.TableContent content = StoreSession.contentOf(table);
            StoreContent.TableContent expected = golden.content().tables().get(path);
            if (expected != null) {
                for (Bytes key : expected.entries().keySet()) {
                    byte[] value = table.get(key.array());
                    Bytes scanned = content.entries().get(key);
                    if (!Objects.equals(value == null ? null : new Bytes(value), scanned)) {
                        throw new AssertionError("a get and a scan of " + path + " differ at " + key);
                    }
                }
            }
            tables.put(table.name(), content);
            return null;
        } catch (CorruptionException | StorageException e) {
            says = String.valueOf(e.getMessage());
            return Verdict.READ_FAILED;
        } catch (KVStoreException e) {
            throw new AssertionError("damage is reported as " + e, e);
        }
    }

    private boolean othersAreTrue(StoreContent found) {
        Map<String, StoreContent.TableContent> expected = golden.content().tables();
        return found.tables().entrySet().stream()
                .allMatch(table -> table.getValue().equals(expected.get(table.getKey())));
    }

    private boolean loggedAreTrue(StoreContent found) {
        Map<String, StoreContent.TableContent> expected = golden.content().tables();
        Map<String, StoreLedger.Home> homes = golden.ledger().names();
        return found.names().equals(golden.content().names())
                && found.tables().entrySet().stream().allMatch(table -> {
                    StoreLedger.Home home = homes.get(table.getKey());
                    return (home != null && !home.logged()) || table.getValue().equals(expected.get(table.getKey()));
                });
    }

    private Verdict inWindow(KVStore store, StoreContent found) {
        says = golden.content().difference(found);
        if (golden.isSealed()) {
            return Verdict.LIE;
        }
        if (exempt == Exempt.OLDER_UNLOGGED && loggedAreTrue(found)) {
            return Verdict.OLDER_UNLOGGED;
        }
        if (exempt == Exempt.OLDER_NAMES && othersAreTrue(found)) {
            return Verdict.OLDER_NAMES;
        }
        try {
            LedgerCheck.check(golden.ledger(), found, least);
        } catch (AssertionError e) {
            says = String.valueOf(e.getMessage());
            return Verdict.LIE;
        }
        return store.recovery().tornBytes() > 0 ? Verdict.TORN_END : Verdict.TORN_END_OF_ZEROS;
    }
}
