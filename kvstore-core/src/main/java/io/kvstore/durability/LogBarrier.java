package io.kvstore.durability;

import io.kvstore.data.Durability;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.error.StoreFailedException;
import io.kvstore.wal.WriteAheadLog;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The barrier of one logged table. The log is set once, before the first operation is applied. */
final class LogBarrier implements DurabilityBarrier {

    /** The barrier of tables without a log, and of stores that are open read-only. */
    static final DurabilityBarrier NONE = new DurabilityBarrier() {
        @Override
        public void beforeAnswer(long lsn) {
            // nothing is promised
        }

        @Override
        public boolean isPassed(long lsn) {
            return true;
        }

        @Override
        public void beforeCommitPoint(long lsn) {
            // nothing is logged
        }
    };

    /** Gives the barriers of a store its log. */
    static final class LogSource {
        private volatile @Nullable WriteAheadLog log;

        void set(WriteAheadLog opened) {
            log = opened;
        }

        boolean isSet() {
            return log != null;
        }

        WriteAheadLog get() {
            WriteAheadLog opened = log;
            if (opened == null) {
                throw new IllegalStateException("the log is not open yet");
            }
            return opened;
        }
    }

    private final LogSource source;
    private final OpenTable table;

    LogBarrier(LogSource source, OpenTable table) {
        this.source = source;
        this.table = table;
    }

    /** Asked each time, because the durability of a table may change. */
    private boolean waits() {
        return table.durability() == Durability.SYNC;
    }

    @Override
    public void beforeAnswer(long lsn) {
        if (waits() && lsn > 0 && !sync(lsn)) {
            throw new StoreFailedException(
                    "the answer rests on a write that may be lost, because the log failed; open the store again", null);
        }
    }

    @Override
    public boolean isPassed(long lsn) {
        return lsn <= passedLsn();
    }

    @Override
    public long passedLsn() {
        return waits() ? source.get().durableLsn() : Long.MAX_VALUE;
    }

    @Override
    public void beforeCommitPoint(long lsn) throws IOException {
        if (!sync(lsn)) {
            throw new IOException("the log failed before " + lsn + " was durable");
        }
    }

    private boolean sync(long lsn) {
        WriteAheadLog log = source.get();
        return lsn <= log.durableLsn() || log.sync(lsn);
    }
}
