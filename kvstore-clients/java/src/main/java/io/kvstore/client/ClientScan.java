package io.kvstore.client;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the entries of a range of any size. The walk fetches a page when it needs the first entry of that page. A scan
 * can be iterated once, by one thread at a time. The server keeps nothing for a scan.
 *
 * <p>When a page cannot be fetched, the iterator throws a {@link io.kvstore.client.error.KVClientException}. The caller may
 * then ask for the next entry again. The walk goes on behind the last entry that it returned.
 */
public final class ClientScan implements Iterable<ClientEntry>, AutoCloseable {

    private final Pages pages;
    private final ScanOptions options;
    private final Queue<ClientEntry> fetched = new ArrayDeque<>();
    private byte @Nullable [] continuation;
    private long left;
    private boolean complete;
    private boolean iterated;
    private boolean closed;

    /** The source of the pages of a scan. */
    @FunctionalInterface
    public interface Pages {
        /** Reads the page that the options describe. */
        EntryPage page(ScanOptions options);
    }

    /** A scan over a source of pages. Programs call {@link TableReader#scan} instead. */
    public ClientScan(Pages pages, ScanOptions options) {
        this.pages = pages;
        this.options = options;
        this.continuation = options.continuation();
        this.left = options.limit();
    }

    /**
     * The entries. The iterator throws {@link IllegalStateException} after the scan was closed.
     *
     * @throws IllegalStateException if the scan was iterated before
     */
    @Override
    public Iterator<ClientEntry> iterator() {
        if (iterated) {
            throw new IllegalStateException("a scan is iterated once; begin another");
        }
        iterated = true;
        return new Entries();
    }

    /**
     * The entries as a stream. Closing the stream closes the scan.
     *
     * @throws IllegalStateException if the scan was iterated before
     */
    public Stream<ClientEntry> stream() {
        return StreamSupport.stream(spliterator(), false).onClose(this::close);
    }

    /** Ends the walk. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        fetched.clear();
    }

    private void fetch() {
        while (fetched.isEmpty() && !complete) {
            EntryPage page = pages.page(options.withContinuation(continuation).withLimit(left));
            fetched.addAll(page.entries());
            continuation = page.continuation();
            left -= page.entries().size();
            complete = continuation == null || left <= 0;
        }
    }

    private final class Entries implements Iterator<ClientEntry> {

        @Override
        public boolean hasNext() {
            if (closed) {
                throw new IllegalStateException("the scan is closed");
            }
            fetch();
            return !fetched.isEmpty();
        }

        @Override
        public ClientEntry next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the scan is at its end");
            }
            return fetched.remove();
        }
    }
}
