package io.kvstore.bench.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Appends chunks to a file from a thread of its own, many at a time. The monitor guards the counts. */
final class BehindWriter implements AutoCloseable {

    private static final int MOST_WAITING = 256;
    private static final int MOST_AT_ONCE = 64;

    /** Is told the number of chunks that the file has. */
    @FunctionalInterface
    interface Listener {
        void written(int chunks) throws IOException;
    }

    private final FileChannel file;
    private final Listener listener;
    private final LinkedBlockingQueue<Optional<byte[]>> waiting = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "bench-behind");
    private int added;
    private int written;
    private @Nullable IOException failure;

    BehindWriter(FileChannel file, Listener listener) {
        this.file = file;
        this.listener = listener;
    }

    void start() {
        thread.start();
    }

    /** Waits while too many chunks wait. */
    void admit() throws IOException {
        if (waiting.size() > MOST_WAITING) {
            awaitAtMost(MOST_WAITING / 2);
        }
    }

    /** Adds a chunk, which must not change afterwards. Called by one thread at a time. */
    void add(byte[] chunk) {
        synchronized (this) {
            added++;
        }
        waiting.add(Optional.of(chunk));
    }

    /** Waits until all chunks are written. */
    void await() throws IOException {
        awaitAtMost(0);
    }

    private synchronized void awaitAtMost(int chunks) throws IOException {
        boolean interrupted = false;
        while (added - written > chunks && failure == null) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw new IOException("chunks could not be written", failure);
        }
    }

    private void run() {
        List<Optional<byte[]>> some = new ArrayList<>();
        try {
            while (some.stream().allMatch(Optional::isPresent)) {
                some.clear();
                some.add(waiting.take());
                waiting.drainTo(some, MOST_AT_ONCE - 1);
                write(some.stream().flatMap(Optional::stream).toList());
            }
        } catch (InterruptedException e) {
            fail(new IOException("interrupted", e));
        } catch (Throwable e) {
            fail(new IOException(e)); // else all threads would wait for ever
        }
    }

    private void write(List<byte[]> chunks) throws IOException {
        ByteBuffer[] buffers = chunks.stream().map(ByteBuffer::wrap).toArray(ByteBuffer[]::new);
        for (long left = buffers.length == 0 ? 0 : (long) buffers.length * buffers[0].capacity(); left > 0; ) {
            left -= file.write(buffers);
        }
        listener.written(written + buffers.length);
        synchronized (this) {
            written += buffers.length;
            notifyAll();
        }
    }

    private synchronized void fail(IOException cause) {
        failure = cause;
        notifyAll();
    }

    @Override
    public void close() throws IOException {
        waiting.add(Optional.empty());
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        await();
    }
}
