package io.kvstore.testkit;

import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fails chosen operations of another storage. A sync that it fails loses the unsynced bytes, if the storage can do that, as
 * a real one does.
 */
public final class FaultyStorage extends WatchedStorage {

    private final Map<Operation, Long> counts = new EnumMap<>(Operation.class);
    private final Map<Operation, Long> failures = new EnumMap<>(Operation.class);
    private @Nullable FaultPlan plan;
    private Consumer<Access> listener = access -> {};
    private SyncLoss syncLoss = SyncLoss.PAGES_CLEAN;
    private long counted;

    /** @param inner does the operations that do not fail */
    public FaultyStorage(Storage inner) {
        super(inner);
    }

    /** Counts from 0 again, and fails what the plan says. */
    public synchronized void arm(FaultPlan newPlan) {
        plan = newPlan;
        counted = 0;
    }

    /** Fails nothing any more. */
    public synchronized void disarm() {
        plan = null;
    }

    /** What happens to unsynced bytes when a sync fails. */
    public synchronized void setSyncLoss(SyncLoss loss) {
        syncLoss = loss;
    }

    /** Tells the listener of every operation that is made to fail, before it fails. */
    synchronized void onFailure(Consumer<Access> newListener) {
        listener = newListener;
    }

    /** The operations since {@link #arm} of the kinds in its plan. */
    public synchronized long counted() {
        return counted;
    }

    /** All operations so far by kind. */
    public synchronized Map<Operation, Long> counts() {
        return new EnumMap<>(counts);
    }

    /** The operations that were made to fail, by kind. */
    public synchronized Map<Operation, Long> failures() {
        return new EnumMap<>(failures);
    }

    /** How many operations were made to fail. */
    public synchronized long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    synchronized SyncLoss syncLoss() {
        return syncLoss;
    }

    @Override
    void before(Access access) throws IOException {
        FaultPlan.Fault fault = next(access);
        if (fault != null) {
            throw failure(fault, access);
        }
    }

    @Override
    @Nullable
    IOException beforeWrite(Access access) throws IOException {
        FaultPlan.Fault fault = next(access);
        if (fault == null) {
            return null;
        }
        IOException failure = failure(fault, access);
        if (fault == FaultPlan.Fault.SHORT_EIO || fault == FaultPlan.Fault.SHORT_NO_SPACE) {
            return failure;
        }
        throw failure;
    }

    private synchronized FaultPlan.@Nullable Fault next(Access access) {
        counts.merge(access.operation(), 1L, Long::sum);
        FaultPlan now = plan;
        if (now == null || !now.kinds().contains(access.operation())) {
            return null;
        }
        long index = counted++;
        if (now.sticky() ? index < now.at() : index != now.at()) {
            return null;
        }
        failures.merge(access.operation(), 1L, Long::sum);
        listener.accept(access);
        return now.fault();
    }

    private static IOException failure(FaultPlan.Fault fault, Access access) {
        String what = "injected at " + access.operation() + " " + access.path() + " " + access.detail();
        return switch (fault) {
            case EIO, SHORT_EIO -> new IOException("Input/output error, " + what);
            case NO_SPACE, SHORT_NO_SPACE -> new NoSpaceException("No space left on device, " + what);
        };
    }
}
