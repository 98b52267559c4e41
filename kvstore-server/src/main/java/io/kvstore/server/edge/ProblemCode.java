package io.kvstore.server.edge;

import java.util.Locale;

/** All the ways in which a request can fail. Each has a code for programs, an HTTP status and a title. */
public enum ProblemCode {
    INVALID_REQUEST(400, "The request is not valid"),
    INVALID_JSON(400, "The body is not valid JSON"),
    INVALID_LINE(400, "A line of the body is not valid"),
    INVALID_FILE(400, "The body is not a sound table file"),
    CONTINUATION_INVALID(400, "The continuation is not one of this scan"),
    CONFIRMATION_MISSING(400, "The request is not confirmed"),
    UNAUTHENTICATED(401, "A token is needed"),
    ORIGIN_NOT_ALLOWED(403, "Requests from web pages are not allowed"),
    HOST_NOT_ALLOWED(403, "The Host header names another server"),
    ROUTE_NOT_FOUND(404, "There is nothing at this path"),
    NOT_FOUND(404, "It does not exist"),
    DATABASE_NOT_FOUND(404, "The database does not exist"),
    TABLE_NOT_FOUND(404, "The table does not exist"),
    KEY_NOT_FOUND(404, "The key does not exist"),
    METHOD_NOT_ALLOWED(405, "The method is not allowed here"),
    NOT_ACCEPTABLE(406, "No form of the answer is one that the client takes"),
    REQUEST_TIMEOUT(408, "The body did not arrive in time"),
    ALREADY_EXISTS(409, "It exists already"),
    DATABASE_NOT_EMPTY(409, "The database has tables"),
    DEFINITION_DIFFERS(409, "The table exists with another definition"),
    TABLE_DROPPED(410, "The table was dropped"),
    SNAPSHOT_EXPIRED(410, "The snapshot is gone"),
    CONDITION_FAILED(412, "A condition does not hold"),
    TOO_LARGE(413, "It is too large"),
    TOO_MANY_ITEMS(413, "The request holds too many items"),
    ANSWER_TOO_LARGE(413, "The answer would be too large"),
    URI_TOO_LONG(414, "The URI is too long"),
    CONTENT_CODED(415, "The body is compressed"),
    RANGE_NOT_SATISFIABLE(416, "The file has no such part"),
    STORE_LOCKED(423, "Another process has the store open"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    INTERNAL_ERROR(500, "The server made a mistake"),
    STORAGE_FAILED(500, "An I/O operation failed"),
    CORRUPTION(500, "Stored bytes are damaged"),
    OUTCOME_UNKNOWN(500, "It is not known whether the write was applied"),
    OVERLOADED(503, "The server is busy"),
    STOPPING(503, "The server is stopping"),
    STORE_CLOSED(503, "The store is closed"),
    STORE_FAILED(503, "The store stopped after an I/O failure"),
    DISK_FULL(507, "The disk is full");

    private final int status;
    private final String title;

    ProblemCode(int status, String title) {
        this.status = status;
        this.title = title;
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** The code as it is in an answer, such as {@code key_not_found}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the same request can succeed a little later without anybody doing anything. */
    public boolean isTransient() {
        return this == OVERLOADED || this == STOPPING || this == STORE_CLOSED;
    }
}
