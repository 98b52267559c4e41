package io.kvstore.durability;

import io.kvstore.catalog.Catalog;
import io.kvstore.data.Clock;
import io.kvstore.engine.Background;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Epochs;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.wal.KeptRecords;
import io.kvstore.wal.WriteAheadLog;
import java.io.IOException;

/**
 * The objects that the parts of an open store share.
 *
 * @param logSource where the store's log is found once recovery has opened it
 * @param epochs readers inside engine structures
 * @param calls calls under way; closing waits for them before it closes the things that they may use
 */
record StoreServices(
        StoreSetup setup,
        Storage storage,
        Catalog catalog,
        KeptRecords kept,
        LogBarrier.LogSource logSource,
        Health health,
        Epochs epochs,
        CallGate calls,
        SnapshotRegistry snapshots,
        MemoryBudget memory,
        Background background) {

    WriteAheadLog log() {
        return logSource.get();
    }

    Clock clock() {
        return setup.clock();
    }

    DurabilityBarrier barrierOf(OpenTable table) {
        return table.isLogged() && !setup.readOnly() ? new LogBarrier(logSource, table) : LogBarrier.NONE;
    }

    /**
     * Changes the catalog, and then the running store. If the store cannot follow, for want of memory for example, it differs
     * from its catalog, so it fails: the next opening goes by the catalog.
     *
     * @param listed changes the catalog; if that fails, nothing has changed
     * @param follow is made before, like all that it can have made before
     */
    void commit(Schema.Change listed, Runnable follow) throws IOException {
        listed.run();
        try {
            follow.run();
        } catch (Throwable e) {
            fail(e);
            throw e;
        }
    }

    void fail(Throwable cause) {
        fail(health, logSource, cause);
    }

    /**
     * Fails the store and its log, so that nothing is acknowledged or freed on the basis of an unknown state. The log tells
     * its waiting writers.
     */
    static void fail(Health health, LogBarrier.LogSource log, Throwable cause) {
        try {
            health.fail(cause);
        } finally {
            if (log.isSet()) {
                log.get().fail(cause);
            }
        }
    }
}
