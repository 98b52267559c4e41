package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A file of {@link RealStorage}. */
final class RealFile implements StorageFile {

    private final String path;
    private final DirectChannel channel;
    private final AtomicInteger openResources;
    private final AtomicBoolean closed = new AtomicBoolean();

    RealFile(String path, DirectChannel channel, AtomicInteger openResources) {
        this.path = path;
        this.channel = channel;
        this.openResources = openResources;
        openResources.incrementAndGet();
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        try {
            return channel.read(target, position);
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        try {
            channel.write(source, position);
        } catch (IOException e) {
            throw Failures.of(path, e);
        } catch (NonWritableChannelException e) {
            throw new IOException(path + " is open for reading only", e);
        }
    }

    @Override
    public long size() throws IOException {
        try {
            return channel.size();
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        try {
            channel.truncate(size);
        } catch (IOException e) {
            throw Failures.of(path, e);
        } catch (NonWritableChannelException e) {
            throw new IOException(path + " is open for reading only", e);
        }
    }

    @Override
    public void sync() throws IOException {
        try {
            channel.force();
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            try {
                channel.close();
            } finally {
                openResources.decrementAndGet();
            }
        }
    }
}
