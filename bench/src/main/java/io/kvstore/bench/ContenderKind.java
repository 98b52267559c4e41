package io.kvstore.bench;

import java.io.IOException;
import java.util.List;

/** The stores of the duel, each with the settings that matter to it. */
enum ContenderKind {
    /** This store, a B+tree table. */
    KVSTORE_BPLUS(Family.OURS),
    /** This store, an LSM table. */
    KVSTORE_LSM(Family.OURS),
    /** RocksDB as it is by default: leveled compaction. */
    ROCKSDB_LEVELED(Family.ROCKSDB),
    /** RocksDB with universal compaction. */
    ROCKSDB_UNIVERSAL(Family.ROCKSDB),
    /** RocksDB with values in blob files. */
    ROCKSDB_BLOB(Family.ROCKSDB),
    /** RocksDB whose writers need not show their writes in order. */
    ROCKSDB_UNORDERED(Family.ROCKSDB),
    /** RocksDB that reads mapped files. */
    ROCKSDB_MMAP(Family.ROCKSDB),
    /** LMDB. */
    LMDB(Family.LMDB),
    /** H2 MVStore. */
    MVSTORE(Family.MVSTORE),
    /** No store, but what hardly one can leave out. */
    LIMIT(Family.LIMIT);

    /** Whose stores they are. */
    enum Family {
        OURS,
        ROCKSDB,
        LMDB,
        MVSTORE,
        LIMIT
    }

    /** MVStore is given no more: it takes minutes for what takes the others seconds. */
    private static final long MVSTORE_ENTRIES = 1_000_000;

    private final Family family;

    ContenderKind(Family family) {
        this.family = family;
    }

    Family family() {
        return family;
    }

    boolean isOurs() {
        return family == Family.OURS;
    }

    /** What its JVM is started with. */
    List<String> jvmFlags() {
        return family == Family.LMDB
                ? List.of(
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dlmdbjava.disable.checks=true")
                : List.of();
    }

    /** How many of the asked entries it is given. */
    long entries(long asked) {
        return family == Family.MVSTORE ? Math.min(asked, MVSTORE_ENTRIES) : asked;
    }

    /** Whether a case can say something about it. */
    boolean takesPart(Case one) {
        return switch (family) {
            case OURS -> true;
            case ROCKSDB -> !one.isOursOnly();
            case LMDB -> !one.isOursOnly() && one.home() != Case.Home.SMALL;
            case MVSTORE -> !one.isOursOnly() && one.home().logging() == Logging.OFF;
            case LIMIT ->
                one.home().logging() == Logging.OFF
                        && one.home() != Case.Home.SMALL
                        && one.work() != Case.Work.SCAN
                        && one.work() != Case.Work.REMOVE;
        };
    }

    Contender open(StoreSetup setup) throws IOException {
        return switch (this) {
            case KVSTORE_BPLUS -> new KVStoreContender(setup, "BPLUS");
            case KVSTORE_LSM -> new KVStoreContender(setup, "LSM");
            case ROCKSDB_LEVELED, ROCKSDB_UNIVERSAL, ROCKSDB_BLOB, ROCKSDB_UNORDERED, ROCKSDB_MMAP ->
                new RocksContender(setup, this);
            case LMDB -> new LmdbContender(setup);
            case MVSTORE -> new MVStoreContender(setup);
            case LIMIT -> new LimitContender(setup, LimitContender.SEGMENT_CHUNKS);
        };
    }
}
