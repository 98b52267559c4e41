package io.kvstore.client.error;

/** What went wrong, for programs. Later versions may add codes. */
public enum ErrorCode {
    /** The request, a URL or an option is not valid; the message says what is. */
    INVALID_REQUEST,
    /** The server wants a token, or does not know the one given. */
    UNAUTHENTICATED,
    /** The token does not allow this. */
    PERMISSION_DENIED,
    /** There is no such database. */
    DATABASE_NOT_FOUND,
    /** There is no such table. */
    TABLE_NOT_FOUND,
    /** There is no such operation, or it was forgotten since. */
    NOT_FOUND,
    /** It exists already. */
    ALREADY_EXISTS,
    /** The database still has tables. */
    DATABASE_NOT_EMPTY,
    /** The table exists with another engine or other options. */
    DEFINITION_DIFFERS,
    /** The table was dropped or truncated while the call, the scan or the snapshot needed it. */
    TABLE_DROPPED,
    /** A key, value, name, list or frame is over a limit that the message names. */
    TOO_LARGE,
    /** The answer would not fit into a frame: ask for less. */
    ANSWER_TOO_LARGE,
    /** The snapshot was closed, its lease ran out, or its connection ended. */
    SNAPSHOT_EXPIRED,
    /** The continuation is not one that was given for this scan. */
    CONTINUATION_INVALID,
    /** Stored bytes are damaged. Other tables go on. */
    CORRUPTION,
    /** An I/O operation of the server failed; its log says which. */
    STORAGE_FAILED,
    /** The server's disk has no room. */
    DISK_FULL,
    /** Too much is being done already: try again a moment later. */
    OVERLOADED,
    /** The write may or may not have been applied: read it back. */
    OUTCOME_UNKNOWN,
    /** The store took no more writes after an I/O failure: it has to be opened again. */
    STORE_FAILED,
    /** The server is stopping: try another time. */
    STOPPING,
    /** The server made a mistake; its log has the cause under the error's id. */
    INTERNAL_ERROR,
    /** A check of a batch does not hold. From the client, as are those that follow. */
    CONDITION_FAILED,
    /** No connection could be made, or it broke in a call that changed nothing. */
    CONNECTION_FAILED,
    /** The time of a call was over, and the call changed nothing. */
    TIMED_OUT,
    /** The thread was interrupted while it waited. */
    INTERRUPTED
}
