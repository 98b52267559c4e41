package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.console.SteppedWait;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads for a walk over entries by a thread of its own, one call after the other. A page may be begun before it is needed. For
 * use by one thread. Ctrl-C ends its wait though the call goes on.
 */
final class PageFetch implements AutoCloseable {

    private static final String THREAD = "kvstore-fetch";

    private final TableReader reader;
    private final ProgressLine progress;
    private final CallThread calls = new CallThread(THREAD);
    private @Nullable Future<EntryPage> coming;

    PageFetch(TableReader reader, ProgressLine progress) {
        this.reader = reader;
        this.progress = progress;
    }

    /** Begins a page, which the next {@link #page} waits for. */
    void begin(ScanOptions options) {
        coming = calls.begin(() -> reader.page(options));
    }

    /** The page that was begun, or else that of the options. */
    EntryPage page(ScanOptions options) {
        Future<EntryPage> fetched = coming != null ? coming : calls.begin(() -> reader.page(options));
        coming = null; // it keeps its page in memory
        return await(fetched);
    }

    /** A value that does not fit into a page. No page may be under way: the value would wait for it in vain. */
    byte @Nullable [] value(byte[] key) {
        return await(calls.<byte @Nullable []>begin(() -> reader.get(key)));
    }

    /** Runs a check by a thread of its own, and waits as for a page. */
    static void check(Runnable check, ProgressLine progress) {
        FutureTask<@Nullable Void> running = new FutureTask<>(check, null);
        CallThread.of(THREAD, running).start();
        await(running, progress);
    }

    private <T extends @Nullable Object> T await(Future<T> call) {
        return await(call, progress);
    }

    private static <T extends @Nullable Object> T await(Future<T> call, ProgressLine progress) {
        try {
            return SteppedWait.of(
                    nanos -> call.get(nanos, TimeUnit.NANOSECONDS), SteppedWait.NO_LIMIT, progress::check);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.INTERRUPTED, "interrupted");
        } catch (ExecutionException e) {
            throw CallThread.failure(e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("a wait without a limit has ended", e);
        }
    }

    /**
     * Lets the thread end, and does not wait for its call: an unfinished file has to go first, and then the end of the snapshot
     * breaks the call. The thread is not interrupted, which would close files of an embedded store.
     */
    @Override
    public void close() {
        if (coming != null) {
            coming.cancel(false);
        }
        calls.close();
    }
}
