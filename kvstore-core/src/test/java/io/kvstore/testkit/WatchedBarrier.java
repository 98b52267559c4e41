package io.kvstore.testkit;

import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Epochs;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A log that only knows how far it is durable, and writes down what the engine asked of it. */
public final class WatchedBarrier implements DurabilityBarrier {

    private final Epochs epochs;
    private final AtomicLong durableLsn = new AtomicLong();
    private final List<Long> answers = new CopyOnWriteArrayList<>();
    private final List<Long> commitPoints = new CopyOnWriteArrayList<>();
    private volatile boolean recording;
    private volatile boolean broken;

    WatchedBarrier(Epochs epochs, long durableLsn) {
        this.epochs = epochs;
        this.durableLsn.set(durableLsn);
    }

    @Override
    public void beforeAnswer(long lsn) {
        if (recording) {
            answers.add(lsn);
            if (!epochs.isQuiescent()) {
                throw new AssertionError("the engine waits for the log inside an epoch");
            }
        }
    }

    @Override
    public boolean isPassed(long lsn) {
        return true;
    }

    @Override
    public void beforeCommitPoint(long lsn) throws IOException {
        commitPoints.add(lsn);
        if (broken) {
            throw new IOException("injected: the log cannot be synced");
        }
        sync(lsn);
    }

    /** Makes the log durable up to an lsn. */
    public void sync(long lsn) {
        durableLsn.accumulateAndGet(lsn, Math::max);
    }

    /** How far the log is durable. */
    public long durableLsn() {
        return durableLsn.get();
    }

    /** The lsns that answers asked for since recording was turned on; meant for tests of one thread. */
    public List<Long> answers() {
        return List.copyOf(answers);
    }

    /** The lsns that commit points asked for. */
    public List<Long> commitPoints() {
        return List.copyOf(commitPoints);
    }

    /** Forgets the answers so far, and writes down later ones or not. */
    public void recordAnswers(boolean on) {
        answers.clear();
        recording = on;
    }

    /** Whether commit points fail because the log cannot be synced. */
    public void setBroken(boolean isBroken) {
        broken = isBroken;
    }
}
