package io.kvstore.cli.console;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A long call that cannot be ended, in a thread of its own. Ctrl-C ends the wait for it, though the call goes on. */
public final class Detached {

    private Detached() {}

    /**
     * Makes a call, and waits for its end.
     *
     * @param call must read only: nobody knows when it ends
     */
    public static <T extends @Nullable Object> T call(Supplier<T> call, Interruption interruption) {
        FutureTask<T> running = new FutureTask<>(call::get);
        Thread thread = new Thread(running, "kvstore-call");
        thread.setDaemon(true);
        thread.start();
        try {
            return SteppedWait.of(
                    nanos -> running.get(nanos, TimeUnit.NANOSECONDS), SteppedWait.NO_LIMIT, interruption::check);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.INTERRUPTED, "interrupted");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        } catch (TimeoutException e) {
            throw new IllegalStateException("a wait without a limit has ended", e);
        }
    }
}
