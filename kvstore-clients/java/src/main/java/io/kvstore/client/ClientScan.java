package io.kvstore.client;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the entries of a range, of any size: pages are fetched as they are needed. It can be iterated once, by one
 * thread at a time. It holds nothing on the server. A failure to fetch a page can be met by asking for the next entry again.
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

    /** Where the pages of a scan come from. */
    @FunctionalInterface
    public interface Pages {
        /** The page that the options ask for. */
        EntryPage page(ScanOptions options);
    }

    /** A scan of pages; users get theirs from {@link TableReader#scan}. */
    public ClientScan(Pages pages, ScanOptions options) {
        this.pages = pages;
        this.options = options;
        this.continuation = options.continuation();
        this.left = options.limit();
    }

    /** The entries, once. */
    @Override
    public Iterator<ClientEntry> iterator() {
        if (iterated) {
            throw new IllegalStateException("a scan is iterated once; begin another");
        }
        iterated = true;
        return new Entries();
    }

    /** The entries as a stream, once. Closing the stream closes the scan. */
    public Stream<ClientEntry> stream() {
        return StreamSupport.stream(spliterator(), false).onClose(this::close);
    }

    /** Ends the walk. */
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
