package io.kvstore.cli.transfer;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A thread for the calls of a transfer, one after the other. Rows are read or written meanwhile. For use by one thread. */
final class CallThread implements AutoCloseable {

    private final ExecutorService calls;

    CallThread(String name) {
        calls = Executors.newSingleThreadExecutor(call -> of(name, call));
    }

    /** A thread that does not keep the process alive. */
    static Thread of(String name, Runnable call) {
        Thread thread = new Thread(call, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Begins a call when those before it have ended. */
    <T extends @Nullable Object> Future<T> begin(Callable<T> call) {
        return calls.submit(call);
    }

    /** Throws the failure of a call. */
    static RuntimeException failure(ExecutionException e) {
        switch (e.getCause()) {
            case RuntimeException failure -> throw failure;
            case Error failure -> throw failure;
            case null, default -> throw new IllegalStateException(e);
        }
    }

    /** Lets the thread end after its calls, and does not wait for them. They are not interrupted. */
    @Override
    public void close() {
        calls.shutdown();
    }
}
