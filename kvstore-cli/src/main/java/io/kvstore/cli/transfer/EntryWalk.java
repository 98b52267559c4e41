package io.kvstore.cli.transfer;

import io.kvstore.cli.console.ProgressLine;
import io.kvstore.client.ClientEntry;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.error.NotFoundException;
import io.kvstore.client.error.TableDroppedException;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A walk over entries with their whole values, however long these are. While the entries of a page are taken, the next page is
 * fetched.
 *
 * @param reader of a snapshot
 * @param options the entries that are meant
 * @param table whose entries these must be
 * @param progress tells if the walk was asked to end
 */
record EntryWalk(TableReader reader, ScanOptions options, SameTable table, ProgressLine progress)
        implements EntrySource {

    /**
     * The lease of the snapshot of a walk. A reader at the other end of a pipe may be slow, and between two calls it takes the
     * entries of two pages.
     */
    static final int LEASE_MILLIS = 3_600_000;

    /** The first page is small, so that it is there soon. A table of few entries, or a small limit, needs no other. */
    private static final int FIRST_ENTRIES = 1_000;

    /**
     * With entries of 50 bytes and more the bytes bound a page, not this. Smaller pages cost more calls, and the server makes
     * pages ready before they are asked for only if they have 64 KiB. The objects of the entries take about 2 MiB beside the
     * bytes of a page.
     */
    private static final int NEXT_ENTRIES = 20_000;

    /** A page has more only if its only entry has. */
    private static final int PAGE_BYTES = 1 << 20;

    @Override
    public void each(Taker taker) throws IOException {
        try (PageFetch fetch = new PageFetch(reader, progress)) {
            ScanOptions next = options.withPageEntries(FIRST_ENTRIES).withPageBytes(PAGE_BYTES);
            while (next != null) {
                next = pass(fetch, next, taker);
            }
        } catch (NotFoundException | TableDroppedException e) {
            PageFetch.check(table::require, progress); // says more
            throw e;
        }
        PageFetch.check(table::require, progress);
    }

    /** Passes the entries of a page on. Returns the options of the next page, or null if none is wanted. */
    private static @Nullable ScanOptions pass(PageFetch fetch, ScanOptions wanted, Taker taker) throws IOException {
        EntryPage page = fetch.page(wanted);
        ScanOptions next = next(wanted, page);
        if (next != null && isSmall(page)) {
            fetch.begin(next);
        }
        for (ClientEntry entry : page.entries()) {
            byte[] value = entry.isTooLarge() ? fetch.value(entry.key()) : entry.value();
            if (!taker.take(entry.key(), Objects.requireNonNull(value))) {
                return null;
            }
        }
        return next;
    }

    private static @Nullable ScanOptions next(ScanOptions wanted, EntryPage page) {
        long left = wanted.limit() - page.entries().size();
        byte[] continuation = page.continuation();
        return continuation == null || left <= 0
                ? null
                : wanted.withPageEntries(NEXT_ENTRIES)
                        .withContinuation(continuation)
                        .withLimit(left);
    }

    /**
     * Whether another page may be in memory beside this one. If values of this page are read alone, the connection is theirs
     * first: they would spend their time limit behind the next page, and its failure would end them.
     */
    private static boolean isSmall(EntryPage page) {
        long bytes = 0;
        for (ClientEntry entry : page.entries()) {
            byte[] value = entry.value();
            if (value == null) {
                return false;
            }
            bytes += entry.key().length + value.length;
        }
        return bytes <= PAGE_BYTES;
    }
}
