package io.kvstore.bench;

import io.kvstore.data.Durability;
import java.io.IOException;
import java.nio.file.Path;

/** The subjects, with the settings that matter to their logs. */
enum SubjectKind {
    /** This store as it is by default: the log is staged. */
    STAGED("KVStore, log staged"),
    /** This store with {@code BUFFERED} as its default: the log is mapped. */
    MAPPED("KVStore, log mapped"),
    /** RocksDB, leveled. */
    ROCKSDB("RocksDB"),
    /** RocksDB whose log and memtable are written by two pipelined groups. */
    ROCKSDB_PIPELINED("RocksDB, pipelined writes"),
    /** RocksDB that writes into old log files again. */
    ROCKSDB_RECYCLED("RocksDB, recycled logs"),
    /** A file that was filled before: one write and one fdatasync for each entry. The bound of a lone writer. */
    DEVICE("write + fdatasync");

    private final String title;

    SubjectKind(String title) {
        this.title = title;
    }

    /** What the table of results calls it. */
    String title() {
        return title;
    }

    boolean isOurs() {
        return this == STAGED || this == MAPPED;
    }

    boolean isRocks() {
        return name().startsWith("ROCKSDB");
    }

    Subject open(Path directory, long memTableBytes) throws IOException {
        return switch (this) {
            case STAGED -> new StoreSubject(directory, Durability.SYNC, memTableBytes);
            case MAPPED -> new StoreSubject(directory, Durability.BUFFERED, memTableBytes);
            case ROCKSDB, ROCKSDB_PIPELINED, ROCKSDB_RECYCLED -> new RocksSubject(directory, this, memTableBytes);
            case DEVICE -> new DeviceSubject(directory);
        };
    }
}
