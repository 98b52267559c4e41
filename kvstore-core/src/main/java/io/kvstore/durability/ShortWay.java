package io.kvstore.durability;

import static java.util.Objects.requireNonNull;

import io.kvstore.data.Merge;
import io.kvstore.data.Mutation;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StoreFailedException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of one table without a log. It may be a merge, or ask for the value that its key had before. The steps and their
 * invariants are those of {@link CommitPipeline}, without those that such a change does not need: a record, conditions on other
 * keys, an order of locks, a wait for durability. That saves a tenth to a fifth of a put of a few bytes, and half of a change
 * that reads its key.
 */
final class ShortWay {

    /** An attempt ended because a key that is to be removed has no value. */
    private static final long ABSENT = Long.MIN_VALUE;

    private static final byte[] NOTHING = {};

    private final StoreServices services;

    ShortWay(StoreServices services) {
        this.services = services;
    }

    /** Writes the change. The caller is inside a call of the store, and has enough stack. */
    void commit(OpenTable table, Mutation mutation) {
        write(table, mutation, null);
    }

    /** As {@link #commit}, and returns the value before. A removal of a key that has none writes nothing. */
    byte @Nullable [] exchange(OpenTable table, Mutation mutation) {
        KeyResolution resolution = new KeyResolution(table, mutation);
        write(table, null, resolution);
        return resolution.previous();
    }

    /** Writes the result of a merge, and returns it. */
    byte[] merge(OpenTable table, Merge merge) {
        KeyResolution resolution = new KeyResolution(table, merge);
        write(table, null, resolution);
        return valueOf(requireNonNull(resolution.mutation()));
    }

    private static byte[] valueOf(Mutation mutation) {
        return mutation instanceof Mutation.Put put ? put.value() : NOTHING;
    }

    /** @param given the mutation if it is known, and null if the resolution finds it */
    private void write(OpenTable table, @Nullable Mutation given, @Nullable KeyResolution resolution) {
        while (true) {
            services.health().check();
            Incarnation incarnation = table.incarnation();
            table.checkTakesWrites();
            if (resolution != null && !resolution.read(incarnation)) {
                return;
            }
            Mutation mutation = requireNonNull(resolution == null ? given : resolution.mutation());
            admit(incarnation.engine(), mutation.key().length + valueOf(mutation).length);
            Attempt attempt = new Attempt(table, incarnation, mutation, resolution);
            long lsn;
            try {
                lsn = attempt.run();
            } catch (Throwable e) {
                attempt.giveBack(e); // once more here, where the stack has more room
                throw e;
            }
            if (lsn != 0) {
                return;
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
        private final @Nullable KeyResolution resolution;
        private List<Mutation> mutations;
        private boolean isReserving;
        private boolean isApplying;
        private TableEngine.@Nullable Load load;

        Attempt(OpenTable table, Incarnation incarnation, Mutation mutation, @Nullable KeyResolution resolution) {
            this.table = table;
            this.incarnation = incarnation;
            this.mutations = List.of(mutation);
            this.resolution = resolution;
        }

        /** Returns the lsn, {@link #ABSENT}, or 0 to try again. */
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
            if (resolution != null && !resolution.isCurrent()) {
                if (!resolution.readLocked(incarnation)) {
                    return ABSENT;
                }
                mutations = List.of(requireNonNull(resolution.mutation()));
            }
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
