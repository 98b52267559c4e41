package io.kvstore.cli.console;

import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import java.io.IOException;

/** A failure whose message also says what has become of the work before it. */
public final class Aftermath {

    private Aftermath() {}

    /** @param more is put behind the message */
    public static RuntimeException told(Exception e, String more) {
        return switch (e) {
            case CommandFailure failure -> new CommandFailure(failure.status(), failure.getMessage() + more);
            case KVClientException failure ->
                KVClientException.of(
                        new ErrorReport(
                                failure.code(),
                                failure.outcome(),
                                failure.getMessage() + more,
                                false,
                                null,
                                failure.details()),
                        failure);
            case CorruptionException failure ->
                new CommandFailure(
                        ExitStatus.ERROR, failure.getMessage() + "; copy the dump again, or make another one" + more);
            case KVStoreException failure -> new CommandFailure(ExitStatus.ERROR, failure.getMessage() + more);
            case IOException failure -> new CommandFailure(ExitStatus.ERROR, Failures.message(failure) + more);
            case RuntimeException failure -> failure;
            default -> new IllegalStateException(e);
        };
    }
}
