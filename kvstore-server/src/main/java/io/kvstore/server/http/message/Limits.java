package io.kvstore.server.http.message;

import java.util.concurrent.TimeUnit;

/** The limits of the edge that are not options. */
public final class Limits {

    /** The request line and headers together: the longest key with every byte escaped, and 16 KiB of headers. */
    public static final int HEAD_BYTES = 256 << 10;

    /** The path and query: the longest key with every byte escaped, and room for names and parameters. */
    public static final int URI_BYTES = 224 << 10;

    /** The names and values of all headers. */
    public static final int HEADER_BYTES = 16 << 10;

    public static final int HEADERS = 64;
    public static final int PARAMETERS = 64;
    public static final int CONNECTIONS = 1_024;

    /** A JSON document, and thus a batch. */
    public static final int JSON_BYTES = 16 << 20;

    static final int JSON_DEPTH = 32;
    static final int JSON_NUMBER_CHARS = 100;

    /** The longest name of a field. All known names are shorter. */
    static final int JSON_NAME_CHARS = 256;

    /** The most fields of one object. No known object has that number of fields, not even one of options. */
    static final int JSON_FIELDS = 64;

    /**
     * The objects made of a document have at most this many times its size: the text of the field that is read, and the bytes
     * of all fields that were read.
     */
    public static final int JSON_COPIES = 2;

    /** The most mutations and the most checks of a batch. */
    public static final int BATCH_ITEMS = 10_000;

    /** The most keys of one get request. */
    public static final int GET_KEYS = 10_000;

    /** The keys and values of one JSON answer. */
    public static final int ANSWER_BYTES = 16 << 20;

    public static final int PAGE_ENTRIES = 10_000;
    public static final int PAGE_ENTRIES_DEFAULT = 1_000;
    public static final int PAGE_BYTES_DEFAULT = 4 << 20;

    /**
     * One line of an import. There is room for the line that {@link EntryLines} writes of the largest value and the longest
     * key, in any encoding.
     */
    static final int LINE_BYTES = 34 << 20;

    /** While a long line is read, the heap holds its bytes, its text, the text of its value, and the value. */
    static final int LINE_COPIES = 4;

    public static final int IMPORT_BATCH_LINES = 1_000;
    public static final int IMPORT_BATCH_BYTES = 1 << 20;

    /** The bytes of a stream that are gathered before they are sent. */
    public static final int STREAM_CHUNK_BYTES = 64 << 10;

    /**
     * The bytes of a body that are read after it was refused. If a client still sends when the connection is closed, it loses
     * the answer. A client that sends more than this may lose it.
     */
    public static final long REFUSED_BYTES = 64L << 20;

    /** The time for an answer that is in memory to be taken. There is extra time for each byte. */
    public static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** The extra time for each byte, at 16 KiB a second. */
    public static final long ANSWER_NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) >> 14;

    public static final int REQUEST_PARSE_MILLIS = 5_000;
    public static final int IDLE_MILLIS = 30_000;

    /**
     * The connection of an answer ends this long after its client is too far behind. So a write that fails with the connection
     * has waited for too long.
     */
    static final int BEHIND_MARGIN_MILLIS = 1_000;

    /** The time in which a body that is held in memory must arrive. */
    public static final long BODY_MILLIS = 60_000;

    private Limits() {}
}
