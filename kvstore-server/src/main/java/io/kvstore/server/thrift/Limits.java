package io.kvstore.server.thrift;

import java.util.concurrent.TimeUnit;

/** The limits of the edge that are not options. No limit is left to the library, because its defaults are lax. */
final class Limits {

    /** The bytes of a frame beside the largest value: the key, names, and the fields around them. */
    static final int FRAME_SLACK_BYTES = 1 << 20;

    /**
     * A frame that is too large is read to its end and answered if it has at most this many bytes. A larger one ends the
     * connection.
     */
    static final int REFUSED_FRAME_BYTES = 64 << 20;

    /** The bytes of a frame that a connection may hold without asking the budget. */
    static final int FREE_BYTES = 64 << 10;

    /** The size of the buffers that a connection keeps between two frames. */
    static final int KEPT_BYTES = 8 << 10;

    /** The most bytes that the fields of an item of an answer take around its contents. */
    static final int ITEM_BYTES = 32;

    /** The most bytes of an answer around the one value that it has. */
    static final int ENVELOPE_BYTES = 1 << 10;

    /** The memory that the objects of an item of a call take beside its bytes: a mutation, a check or a key of a multiGet. */
    static final int ITEM_OBJECTS_BYTES = 256;

    /** The depth of nested structures. The deepest structure of the service has 4 levels. */
    static final int DEPTH = 16;

    /** The most keys of a multiGet, and the most mutations and the most checks of a batch. */
    static final int ITEMS = 10_000;

    /** The items of all lists of a call. Mutations and checks are two, so no true call has that number. */
    static final int ITEMS_OF_CALL = 4 * ITEMS;

    static final int PAGE_ENTRIES = 100_000;
    static final int PAGE_ENTRIES_DEFAULT = 1_000;
    static final int PAGE_BYTES_DEFAULT = 1 << 20;

    static final int SNAPSHOTS = 256;
    static final int SNAPSHOTS_OF_CONNECTION = 16;
    static final int LEASE_MILLIS_DEFAULT = 60_000;
    static final int LEASE_MILLIS_MIN = 1_000;
    static final int LEASE_MILLIS_MAX = 3_600_000;

    /** After this number of refused tokens and of calls without a token, the connection ends. */
    static final int FAILED_TOKENS = 3;

    static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** The time for the handshake of TLS and, where a token is needed, for the client to show one. */
    static final long GREETING_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The time for a frame to arrive after its length, and for an answer to be taken. There is extra time for each byte. */
    static final long FRAME_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The extra time for each byte, at 64 KiB a second. */
    static final long FRAME_NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) >> 16;

    private Limits() {}
}
