package io.kvstore.server.http.message;

/** The limits of the edge that are not options. */
public final class Limits {

    /** Request line and headers together: the longest key with every byte escaped, and 16 KiB of headers. */
    public static final int HEAD_BYTES = 256 << 10;

    /** Path and query: the longest key with every byte escaped, and room for names and parameters. */
    public static final int URI_BYTES = 224 << 10;

    /** Names and values of all headers. */
    public static final int HEADER_BYTES = 16 << 10;

    public static final int HEADERS = 64;
    public static final int PARAMETERS = 64;
    public static final int CONNECTIONS = 1_024;

    /** A JSON document, and so a batch. */
    public static final int JSON_BYTES = 16 << 20;

    static final int JSON_DEPTH = 32;
    static final int JSON_NUMBER_CHARS = 100;

    /** The longest name of a field; none that is known has as many characters. */
    static final int JSON_NAME_CHARS = 256;

    /** Fields of one object: more than any has, an object of options included. */
    static final int JSON_FIELDS = 64;

    /**
     * What is made of a document has at most so many times its size: the text of the field that is read, and the bytes of all
     * that were.
     */
    public static final int JSON_COPIES = 2;

    /** Mutations of a batch, and checks of a batch. */
    public static final int BATCH_ITEMS = 10_000;

    /** Keys of one get request. */
    public static final int GET_KEYS = 10_000;

    /** Keys and values of one JSON answer. */
    public static final int ANSWER_BYTES = 16 << 20;

    public static final int PAGE_ENTRIES = 10_000;
    public static final int PAGE_ENTRIES_DEFAULT = 1_000;
    public static final int PAGE_BYTES_DEFAULT = 4 << 20;

    /** One line of an import: what {@link EntryForm} writes of the largest value and the longest key, in any encoding. */
    static final int LINE_BYTES = 34 << 20;

    /** While a long line is read there are its bytes, its text, the text of its value, and the value. */
    static final int LINE_COPIES = 4;

    public static final int IMPORT_BATCH_LINES = 1_000;
    public static final int IMPORT_BATCH_BYTES = 1 << 20;

    /** What is gathered of a stream before it is sent. */
    public static final int STREAM_CHUNK_BYTES = 64 << 10;

    /**
     * What is read of a body after it was refused. A client that still sends when the connection is closed would lose the
     * answer; beyond this it may.
     */
    public static final long REFUSED_BYTES = 64L << 20;

    public static final int REQUEST_PARSE_MILLIS = 5_000;
    public static final int IDLE_MILLIS = 30_000;

    /** How long a body that is held in memory may take to arrive. */
    public static final long BODY_MILLIS = 60_000;

    private Limits() {}
}
