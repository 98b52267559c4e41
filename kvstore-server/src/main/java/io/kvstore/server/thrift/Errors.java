package io.kvstore.server.thrift;

import io.kvstore.error.Outcome;
import io.kvstore.server.edge.ErrorTable;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.ServiceError;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Turns failures into the errors that a client sees. */
final class Errors {

    private static final Logger LOGGER = System.getLogger(Errors.class.getName());

    private Errors() {}

    /** The error that a client gets for a failure. A fault of the server is logged under the error's id. */
    static ServiceError of(Throwable failure) {
        if (failure instanceof ServiceError error) {
            return error;
        }
        Problem problem = ErrorTable.of(failure);
        String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        if (problem.code().status() >= 500 && !problem.code().isTransient()) {
            LOGGER.log(Level.WARNING, "call " + id + " failed", failure);
        }
        return of(problem, id);
    }

    /** @param id under which the log of the server has the cause */
    static ServiceError of(Problem problem, String id) {
        ServiceError error = new ServiceError(code(problem.code()))
                .setMessage(problem.detail())
                .setRetryable(problem.code().isTransient() && problem.outcome() == Outcome.REJECTED)
                .setOutcome(outcome(problem.outcome()))
                .setErrorId(id);
        if (!problem.members().isEmpty()) {
            Map<String, String> details = new HashMap<>();
            problem.members().forEach((name, value) -> details.put(name, value.toString()));
            error.setDetails(details);
        }
        return error;
    }

    private static io.kvstore.thrift.Outcome outcome(Outcome outcome) {
        return switch (outcome) {
            case REJECTED -> io.kvstore.thrift.Outcome.REJECTED;
            case FAILED -> io.kvstore.thrift.Outcome.FAILED;
            case UNKNOWN -> io.kvstore.thrift.Outcome.UNKNOWN;
        };
    }

    /** The code for clients. If the server gets a new code, this method does not compile until the code is mapped here. */
    static ErrorCode code(ProblemCode code) {
        return switch (code) {
            case INVALID_REQUEST,
                    INVALID_JSON,
                    INVALID_LINE,
                    INVALID_FILE,
                    CONFIRMATION_MISSING,
                    ORIGIN_NOT_ALLOWED,
                    HOST_NOT_ALLOWED,
                    METHOD_NOT_ALLOWED,
                    NOT_ACCEPTABLE,
                    REQUEST_TIMEOUT,
                    CONTENT_CODED,
                    CONDITION_FAILED -> ErrorCode.INVALID_REQUEST;
            case CONTINUATION_INVALID -> ErrorCode.CONTINUATION_INVALID;
            case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
            case ROUTE_NOT_FOUND, NOT_FOUND, KEY_NOT_FOUND -> ErrorCode.NOT_FOUND;
            case DATABASE_NOT_FOUND -> ErrorCode.DATABASE_NOT_FOUND;
            case TABLE_NOT_FOUND -> ErrorCode.TABLE_NOT_FOUND;
            case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
            case DATABASE_NOT_EMPTY -> ErrorCode.DATABASE_NOT_EMPTY;
            case DEFINITION_DIFFERS -> ErrorCode.DEFINITION_DIFFERS;
            case TABLE_DROPPED -> ErrorCode.TABLE_DROPPED;
            case SNAPSHOT_EXPIRED -> ErrorCode.SNAPSHOT_EXPIRED;
            case TOO_LARGE, TOO_MANY_ITEMS, URI_TOO_LONG, RANGE_NOT_SATISFIABLE, HEADERS_TOO_LARGE ->
                ErrorCode.TOO_LARGE;
            case ANSWER_TOO_LARGE -> ErrorCode.ANSWER_TOO_LARGE;
            case STORE_LOCKED, STORE_FAILED -> ErrorCode.STORE_FAILED;
            case INTERNAL_ERROR -> ErrorCode.INTERNAL_ERROR;
            case STORAGE_FAILED -> ErrorCode.STORAGE_FAILED;
            case CORRUPTION -> ErrorCode.CORRUPTION;
            case OUTCOME_UNKNOWN -> ErrorCode.OUTCOME_UNKNOWN;
            case OVERLOADED -> ErrorCode.OVERLOADED;
            case STOPPING, STORE_CLOSED -> ErrorCode.STOPPING;
            case DISK_FULL -> ErrorCode.DISK_FULL;
        };
    }
}
