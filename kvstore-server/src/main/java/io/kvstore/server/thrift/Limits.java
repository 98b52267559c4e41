package io.kvstore.server.thrift;

import java.util.concurrent.TimeUnit;

/** The limits of the edge that are not options. None is left to the library, whose defaults are lax. */
final class Limits {

    /** What a frame has beside the largest value: the key, names, and the fields around them. */
    static final int FRAME_SLACK_BYTES = 1 << 20;

    /** A frame that is too large is read to its end and answered if it is not larger than this; else the connection ends. */
    static final int REFUSED_FRAME_BYTES = 64 << 20;

    /** What a connection may hold of a frame without asking the budget. */
    static final int FREE_BYTES = 64 << 10;

    /** What a connection keeps between two frames. */
    static final int KEPT_BYTES = 8 << 10;

    /** What the fields of an item of an answer take around its bytes, at most. */
    static final int ITEM_BYTES = 32;

    /** Depth of structures in structures. The deepest of the service has 4. */
    static final int DEPTH = 16;

    /** Keys of a multiGet, mutations of a batch, checks of a batch. */
    static final int ITEMS = 10_000;

    static final int PAGE_ENTRIES = 100_000;
    static final int PAGE_ENTRIES_DEFAULT = 1_000;
    static final int PAGE_BYTES_DEFAULT = 1 << 20;

    static final int SNAPSHOTS = 256;
    static final int SNAPSHOTS_OF_CONNECTION = 16;
    static final int LEASE_MILLIS_DEFAULT = 60_000;
    static final int LEASE_MILLIS_MIN = 1_000;
    static final int LEASE_MILLIS_MAX = 3_600_000;

    static final int OPERATIONS_RUNNING = 8;
    static final int OPERATIONS_KEPT = 100;

    /** Failed attempts to authenticate before a connection ends. */
    static final int FAILED_TOKENS = 3;

    static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** From the connection to its first call where a token is needed, and for the handshake of TLS. */
    static final long GREETING_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** From the first byte of a frame to its last one, and for an answer to be taken: this long, and time for each byte. */
    static final long FRAME_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** 64 KiB a second at least. */
    static final long FRAME_NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) >> 16;

    private Limits() {}
}
