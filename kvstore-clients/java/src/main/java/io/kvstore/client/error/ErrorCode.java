package io.kvstore.client.error;

/** The kind of an error, for programs. Later versions may add codes. */
public enum ErrorCode {
    /** The request, a URL or an option is not valid. The message says how to correct it. */
    INVALID_REQUEST,
    /** The server wants a token, or does not know the token that the client has. */
    UNAUTHENTICATED,
    /** The token does not allow the call. */
    PERMISSION_DENIED,
    /** There is no such database. */
    DATABASE_NOT_FOUND,
    /** There is no such table. */
    TABLE_NOT_FOUND,
    /** There is no such operation, or the server has forgotten it since it ended. */
    NOT_FOUND,
    /** The database or the table exists. */
    ALREADY_EXISTS,
    /** The database still has tables. */
    DATABASE_NOT_EMPTY,
    /** The table exists with another engine or other options. */
    DEFINITION_DIFFERS,
    /** The table was dropped or truncated while the call, the scan or the snapshot needed it. */
    TABLE_DROPPED,
    /** A key, value, name, list or frame is over a limit that the message names. */
    TOO_LARGE,
    /** The answer would not fit into a frame. Ask for less. */
    ANSWER_TOO_LARGE,
    /** The snapshot was closed, its lease ran out, or its connection ended. */
    SNAPSHOT_EXPIRED,
    /** The continuation is not one of this scan. */
    CONTINUATION_INVALID,
    /** Stored bytes of a table are damaged. Other tables go on. */
    CORRUPTION,
    /** An I/O operation of the server failed. The server's log says which. */
    STORAGE_FAILED,
    /** The server's disk has no room. */
    DISK_FULL,
    /** The server has too much work. Try again a moment later. */
    OVERLOADED,
    /** The write may or may not have been applied. Read it back. */
    OUTCOME_UNKNOWN,
    /** The store takes no writes after an I/O failure until it is opened again. */
    STORE_FAILED,
    /** The server is stopping. Try again later. */
    STOPPING,
    /** The server has failed to do a call for an unknown reason. The server's log has the cause under the error's id. */
    INTERNAL_ERROR,
    /** A check of a batch does not hold. The client sets this code and the codes after it. */
    CONDITION_FAILED,
    /** No connection could be made, a connection broke in a call that changed nothing, or the client is closed. */
    CONNECTION_FAILED,
    /** The time of a call was over, and the call changed nothing. */
    TIMED_OUT,
    /** The thread was interrupted while it waited. */
    INTERRUPTED
}
