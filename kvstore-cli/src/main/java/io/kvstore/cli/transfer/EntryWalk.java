package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.client.ClientEntry;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.error.NotFoundException;
import io.kvstore.client.error.TableDroppedException;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A walk over entries with their whole values, however long these are.
 *
 * @param reader of a snapshot
 * @param options the entries that are meant
 * @param table whose entries these must be
 */
record EntryWalk(TableReader reader, ScanOptions options, SameTable table) {

    /** A first page that is there soon, and most commands need no other. */
    private static final int FIRST_ENTRIES = 1_000;

    /** More than fit into the bytes of a page, unless they are short. */
    private static final int NEXT_ENTRIES = 20_000;

    /** Takes an entry. Returns whether it wants another. */
    @FunctionalInterface
    interface Taker {
        boolean take(byte[] key, byte[] value) throws IOException;
    }

    /**
     * Passes entries on until the taker wants no more.
     *
     * @throws io.kvstore.cli.console.CommandFailure if the name was that of another table meanwhile
     */
    void each(Taker taker) throws IOException {
        try {
            walk(taker);
        } catch (NotFoundException | TableDroppedException e) {
            table.require(); // says more
            throw e;
        }
        table.require();
    }

    /** Takes the entries of a page while the next page is fetched, so two pages are in memory. */
    private void walk(Taker taker) throws IOException {
        ScanOptions first = options.withPageEntries(FIRST_ENTRIES);
        try (ExecutorService fetching = Executors.newSingleThreadExecutor(EntryWalk::thread)) {
            EntryPage page = reader.page(first);
            long left = options.limit();
            while (true) {
                left -= page.entries().size();
                byte[] continuation = page.continuation();
                Future<EntryPage> next = continuation == null || left <= 0 ? null : fetch(fetching, continuation, left);
                for (ClientEntry entry : page.entries()) {
                    // a value that does not fit into a page of a scan is read alone
                    byte[] value = entry.isTooLarge() ? reader.get(entry.key()) : entry.value();
                    if (!taker.take(entry.key(), Objects.requireNonNull(value))) {
                        return;
                    }
                }
                if (next == null) {
                    return;
                }
                page = await(next);
            }
        }
    }

    private static Thread thread(Runnable fetching) {
        Thread thread = new Thread(fetching, "kvstore-fetch");
        thread.setDaemon(true);
        return thread;
    }

    private Future<EntryPage> fetch(ExecutorService fetching, byte[] continuation, long left) {
        ScanOptions next = options.withPageEntries(NEXT_ENTRIES)
                .withContinuation(continuation)
                .withLimit(left);
        return fetching.submit(() -> reader.page(next));
    }

    private static EntryPage await(Future<EntryPage> fetched) {
        try {
            return fetched.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.INTERRUPTED, "interrupted");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }
}
