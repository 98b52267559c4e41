package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreFailedException;
import java.util.Map;

/**
 * Reads from a store that has failed: what is durable stays readable. An engine that knows the last operation of a page, not
 * that of an entry, may refuse a value beside which a newer one is not durable.
 */
final class PoisonedReads {

    private final KVStore store;
    private final StoreLedger ledger;
    private final Tally tally;
    private final boolean restsOnPages;

    PoisonedReads(KVStore store, StoreScenario scenario, StoreLedger ledger, Tally tally) {
        this.restsOnPages = scenario.engines().stream().anyMatch(StoreScenario.Engine::restsOnPages);
        this.store = store;
        this.ledger = ledger;
        this.tally = tally;
    }

    void check() {
        for (Map.Entry<String, StoreLedger.Home> entry : ledger.names().entrySet()) {
            StoreLedger.Home home = entry.getValue();
            if (home.logged() && home.uid() > 0 && ledger.possibleNames().size() == 1) {
                ledger.durableValues(home.uid()).forEach((key, value) -> read(entry.getKey(), key, value));
            }
        }
    }

    private void read(String name, Bytes key, Bytes expected) {
        try {
            byte[] found = StoreWorkload.tableOf(store, name).get(key.array());
            if (found == null || !new Bytes(found).equals(expected)) {
                throw new AssertionError("a durable value of " + name + " is not what a failed store answers");
            }
            tally.count("poisoned.read");
        } catch (StoreFailedException e) {
            if (restsOnPages) {
                tally.count("poisoned.read refused with its page");
                return;
            }
            throw new AssertionError("a durable value of " + name + " is not readable in a failed store", e);
        } catch (CorruptionException e) {
            throw new AssertionError("a durable value of " + name + " is called damaged in a failed store", e);
        } catch (StorageException e) {
            tally.count("poisoned.read failed by the fault");
        } catch (KVStoreException e) {
            throw new AssertionError("a read of a failed store ends with " + e, e);
        }
    }
}
