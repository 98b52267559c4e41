package io.kvstore.bench.store;

/** The crashes that a put survives. */
public enum Logging {
    /** No log. Puts since the last checkpoint or flush are lost. */
    OFF,
    /** A put survives the end of the process. */
    BUFFERED,
    /** A put survives a power loss. */
    SYNC
}
