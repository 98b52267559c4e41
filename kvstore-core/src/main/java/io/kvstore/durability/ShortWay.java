package io.kvstore.durability;

import io.kvstore.data.Mutation;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StoreFailedException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of one table without a log. The steps and their invariants are those of {@link CommitPipeline}, without those that
 * such a change does not need: a record, conditions, an order of locks, a wait for durability. That saves a tenth to a fifth of
 * a put of a few bytes.
 */
final class ShortWay {

    private final StoreServices services;

    ShortWay(StoreServices services) {
        this.services = services;
    }

    /** Writes the change. Returns its lsn. The caller is inside a call of the store, and has enough stack. */
    long commit(OpenTable table, Mutation mutation) {
        List<Mutation> mutations = List.of(mutation);
        long bytes = mutation.key().length + (mutation instanceof Mutation.Put put ? put.value().length : 0L);
        while (true) {
            services.health().check();
            Incarnation incarnation = table.incarnation();
            table.checkTakesWrites();
            admit(incarnation.engine(), bytes);
            Attempt attempt = new Attempt(table, incarnation, mutations);
            long lsn;
            try {
                lsn = attempt.run();
            } catch (Throwable e) {
                attempt.giveBack(e); // once more here, where the stack has more room
                throw e;
            }
            if (lsn > 0) {
                return lsn;
            }
            attempt.runLoad();
        }
    }

    private static void admit(TableEngine engine, long bytes) {
        try {
            engine.admit(bytes);
        } catch (IOException e) {
            throw StorageErrors.of("the write", e);
        }
    }

    /** One attempt. It ends with the change applied, or with I/O to do before the next attempt. */
    private final class Attempt {

        private final OpenTable table;
        private final Incarnation incarnation;
        private final List<Mutation> mutations;
        private boolean isReserving;
        private boolean isApplying;
        private TableEngine.@Nullable Load load;

        Attempt(OpenTable table, Incarnation incarnation, List<Mutation> mutations) {
            this.table = table;
            this.incarnation = incarnation;
            this.mutations = mutations;
        }

        /** Returns the lsn, or 0 to try again. */
        long run() {
            try {
                table.lock().lock();
                long lsn = table.incarnation() == incarnation ? reserveAndApply() : 0;
                if (lsn > 0) {
                    table.lock().unlockForNow();
                } else {
                    table.lock().unlock();
                }
                return lsn;
            } catch (IOException e) {
                giveBack(e);
                throw StorageErrors.of("the write", e);
            } catch (Throwable e) {
                giveBack(e);
                if (isApplying && !(e instanceof OutcomeUnknownException)) {
                    throw new OutcomeUnknownException(
                            "the store failed while it applied a write; it may or may not be there after the store is"
                                    + " opened again",
                            e);
                }
                throw e;
            }
        }

        private long reserveAndApply() throws IOException {
            isReserving = true;
            load = incarnation.engine().reserve(mutations);
            if (load != null) {
                cancel();
                return 0;
            }
            long lsn = claim();
            incarnation.engine().apply(lsn, mutations);
            isReserving = false;
            table.applied(lsn);
            isApplying = false;
            return lsn;
        }

        private long claim() {
            isApplying = true;
            try {
                return services.log().claim();
            } catch (StoreFailedException | OverloadedException e) {
                isApplying = false;
                throw e;
            }
        }

        /** Cleans up after a throwable. Does nothing if that was done before. */
        void giveBack(Throwable cause) {
            try {
                if (isApplying) {
                    services.fail(cause);
                }
            } finally {
                try {
                    cancel();
                } finally {
                    table.lock().unlockIfMine();
                }
            }
        }

        private void cancel() {
            if (isReserving) {
                isReserving = false;
                try {
                    incarnation.engine().cancel(mutations);
                } catch (Throwable e) {
                    services.fail(e);
                }
            }
        }

        void runLoad() {
            if (load != null) {
                try {
                    load.run();
                } catch (IOException e) {
                    throw StorageErrors.of("the write", e);
                }
            }
        }
    }
}
