package io.kvstore.wal;

import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.io.Storage;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.StoreId;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** A log on a simulated disk, driven step by step. */
final class LogBench {

    static final StoreId STORE = new StoreId(1, 2);
    static final int TABLE = 7;

    final SimStorage disk;
    final StepClock clock = new StepClock();
    final StepBackground background = new StepBackground(clock);
    final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    final LogConfig config;
    final List<Long> replayed = new ArrayList<>();

    @Nullable
    LogRecovery recovery;

    /** Up to there no table needs a record. */
    long heldLsn;

    /** For each table, up to where replay is told that no record is needed. */
    IntToLongFunction leftOutLsn = table -> -1;

    LogBench(SimStorage disk, LogConfig.Landing landing) {
        this(disk, disk, landing);
    }

    LogBench(SimStorage disk, Storage seen, LogConfig.Landing landing) {
        this.disk = disk;
        this.config = new LogConfig(
                seen,
                "wal",
                STORE,
                landing,
                64 << 10,
                Long.MAX_VALUE,
                1_000,
                background,
                cause -> failure.compareAndSet(null, cause),
                clock,
                () -> 0);
    }

    /** A new log in an empty directory. */
    static LogBench create(LogConfig.Landing landing) throws IOException {
        LogBench bench = new LogBench(new SimStorage(), landing);
        bench.init();
        return bench;
    }

    void init() throws IOException {
        disk.createDirectory("wal");
        LogRecovery.create(config);
        disk.syncDirectory("");
    }

    WriteAheadLog open() throws IOException {
        return open(1, 1, 0);
    }

    WriteAheadLog open(long firstNeeded, long newestKnown, long floorLsn) throws IOException {
        LogRecovery scanned = LogRecovery.scan(config, firstNeeded, newestKnown, held(), operation -> {});
        recovery = scanned;
        WriteAheadLog log = scanned.open(floorLsn);
        replayed.clear();
        scanned.replay(new LogReplay() {
            @Override
            public void apply(long lsn, List<TableMutations> operation) {
                replayed.add(lsn);
            }

            @Override
            public long heldLsn(int tableId) {
                return leftOutLsn.applyAsLong(tableId);
            }
        });
        scanned.deleteDead();
        return log;
    }

    private Held held() {
        return new Held(tableId -> heldLsn, heldLsn);
    }

    /** The same log on another disk. */
    LogBench on(SimStorage other) {
        return new LogBench(other, config.landing());
    }

    static LogRecord put(int size) {
        return put(TABLE, size);
    }

    static LogRecord put(int table, int size) {
        Mutation put = new Mutation.Put(new byte[] {1}, new byte[size]);
        return LogRecord.of(List.of(new TableMutations(table, List.of(put))));
    }

    static LogRecord remove() {
        return record(new Mutation.Remove(new byte[] {1}));
    }

    private static LogRecord record(Mutation mutation) {
        return LogRecord.of(List.of(new TableMutations(TABLE, List.of(mutation))));
    }

    /** Appends one record, making room for it. */
    static long append(WriteAheadLog log, LogRecord record) {
        boolean removes = record.kind() == LogFormat.REMOVE;
        while (true) {
            log.makeRoom(record.frameBytes(), removes);
            long lsn = log.append(record, removes);
            if (lsn != WriteAheadLog.NO_ROOM) {
                return lsn;
            }
        }
    }
}
