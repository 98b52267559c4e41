package io.kvstore.bench.store;

/** What becomes of a put in a crash. */
enum Logging {
    /** No log: what was put since the last checkpoint or flush is lost. */
    OFF,
    /** Survives the process. */
    BUFFERED,
    /** Survives a power loss. */
    SYNC
}
