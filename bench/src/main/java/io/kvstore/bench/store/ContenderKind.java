package io.kvstore.bench.store;

import io.kvstore.bench.measure.NetworkOff;
import java.io.IOException;
import java.util.List;

/** The stores of the duel. Each has the settings that matter to it. */
public enum ContenderKind {
    /** This store, a B+tree table. */
    KVSTORE_BPLUS(Family.OURS),
    /** This store, an LSM table. */
    KVSTORE_LSM(Family.OURS),
    /** This store, a hash table. */
    KVSTORE_HASH(Family.OURS),
    /** RocksDB with its default, leveled compaction. */
    ROCKSDB_LEVELED(Family.ROCKSDB),
    /** RocksDB with universal compaction. */
    ROCKSDB_UNIVERSAL(Family.ROCKSDB),
    /** RocksDB with values in blob files. */
    ROCKSDB_BLOB(Family.ROCKSDB),
    /** RocksDB with unordered writes: its writers need not make their writes visible in order. */
    ROCKSDB_UNORDERED(Family.ROCKSDB),
    /** RocksDB that reads mapped files. */
    ROCKSDB_MMAP(Family.ROCKSDB),
    /** LMDB. */
    LMDB(Family.LMDB),
    /** H2 MVStore. */
    MVSTORE(Family.MVSTORE),
    /** Chronicle Map. */
    CHRONICLE(Family.CHRONICLE),
    /** No store, but only the work that hardly any store can leave out. */
    LIMIT(Family.LIMIT),
    /** No store, but a write and an fdatasync for each entry. */
    DEVICE(Family.DEVICE);

    /** The product that a contender is of. */
    public enum Family {
        OURS,
        ROCKSDB,
        LMDB,
        MVSTORE,
        CHRONICLE,
        LIMIT,
        DEVICE
    }

    /** The most entries for MVStore. It takes minutes where the others take seconds. */
    private static final long MVSTORE_ENTRIES = 1_000_000;

    private final Family family;

    ContenderKind(Family family) {
        this.family = family;
    }

    public Family family() {
        return family;
    }

    public boolean isOurs() {
        return family == Family.OURS;
    }

    /** The flags that its JVM is started with. */
    public List<String> jvmFlags() {
        return switch (family) {
            case LMDB ->
                List.of(
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dlmdbjava.disable.checks=true");
            case CHRONICLE -> ChronicleContender.JVM_FLAGS;
            case OURS, ROCKSDB, MVSTORE, LIMIT, DEVICE -> List.of();
        };
    }

    /** The command that runs its JVM; empty if the JVM needs none. */
    public List<String> before() {
        return family == Family.CHRONICLE && NetworkOff.isPossible() ? NetworkOff.COMMAND : List.of();
    }

    /** The number of entries that it gets, if {@code asked} are asked for. */
    public long entries(long asked) {
        return family == Family.MVSTORE ? Math.min(asked, MVSTORE_ENTRIES) : asked;
    }

    /** Whether the contender takes part in a case. */
    public boolean takesPart(Case one) {
        return switch (family) {
            case OURS -> this != KVSTORE_HASH || one.work() != Case.Work.SCAN;
            case ROCKSDB -> !one.isOursOnly();
            case LMDB -> !one.isOursOnly() && one.home() != Case.Home.SMALL;
            case MVSTORE -> !one.isOursOnly() && one.home().logging() == Logging.OFF;
            case CHRONICLE ->
                !one.isOursOnly()
                        && one.home().logging() == Logging.OFF
                        && one.home() != Case.Home.SMALL
                        && one.work() != Case.Work.SCAN;
            case LIMIT ->
                one.home().logging() == Logging.OFF
                        && one.home() != Case.Home.SMALL
                        && one.work() != Case.Work.SCAN
                        && one.work() != Case.Work.REMOVE;
            case DEVICE -> one.home() == Case.Home.SYNC && one.work() == Case.Work.PUT && one.threads() == 1;
        };
    }

    public Contender open(StoreSetup setup) throws IOException {
        return switch (this) {
            case KVSTORE_BPLUS -> new KVStoreContender(setup, "BPLUS");
            case KVSTORE_LSM -> new KVStoreContender(setup, "LSM");
            case KVSTORE_HASH -> new KVStoreContender(setup, "HASH");
            case ROCKSDB_LEVELED, ROCKSDB_UNIVERSAL, ROCKSDB_BLOB, ROCKSDB_UNORDERED, ROCKSDB_MMAP ->
                new RocksContender(setup, this);
            case LMDB -> new LmdbContender(setup);
            case MVSTORE -> new MVStoreContender(setup);
            case CHRONICLE -> new ChronicleContender(setup);
            case LIMIT -> new LimitContender(setup, LimitContender.SEGMENT_CHUNKS);
            case DEVICE -> new DeviceContender(setup);
        };
    }
}
