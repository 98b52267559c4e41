package io.kvstore.client;

import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.thrift.OperationRequest;
import java.util.function.Consumer;

/** Starts operations of a server and waits for their end. */
final class Operations {

    private static final long FIRST_POLL_MILLIS = 10;
    private static final long LAST_POLL_MILLIS = 500;

    private final PooledCalls calls;

    Operations(PooledCalls calls) {
        this.calls = calls;
    }

    OperationResult start(OperationRequest request) {
        return Answers.operation(calls.write(service -> service.startOperation(request)));
    }

    OperationResult get(long id) {
        return Answers.operation(calls.read(service -> service.operation(id)));
    }

    OperationResult await(long id) {
        return await(id, state -> {});
    }

    /** Asks for the state of an operation until it has ended. The pause between two calls grows. */
    OperationResult await(long id, Consumer<? super OperationResult> watcher) {
        OperationResult operation = get(id);
        watcher.accept(operation);
        for (long pause = FIRST_POLL_MILLIS;
                operation.state() == OperationResult.State.RUNNING;
                pause = Math.min(2 * pause, LAST_POLL_MILLIS)) {
            if (!Deadline.in(pause).await()) {
                throw Failures.interrupted("the thread was interrupted; operation " + id + " goes on");
            }
            operation = get(id);
            watcher.accept(operation);
        }
        if (operation.state() == OperationResult.State.FAILED) {
            throw operation.error() != null
                    ? operation.error()
                    : KVClientException.of(
                            ErrorReport.of(ErrorCode.INTERNAL_ERROR, Outcome.UNKNOWN, "operation " + id + " failed"));
        }
        return operation;
    }
}
