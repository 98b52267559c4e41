package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A file of {@link RealStorage}. */
final class RealFile implements StorageFile {

    private final String path;
    private final Path real;
    private final @Nullable UncachedWrites uncached;
    private final DirectChannel channel;
    private final AtomicInteger openResources;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param uncached shared by the files of a storage; null if this file is open for reading only */
    RealFile(
            String path,
            Path real,
            DirectChannel channel,
            @Nullable UncachedWrites uncached,
            AtomicInteger openResources) {
        this.path = path;
        this.real = real;
        this.uncached = uncached;
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
        return channel.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        channel.write(source, position);
    }

    @Override
    public long writeUncached(ByteBuffer source, long position) throws IOException {
        if (uncached == null) {
            throw new IOException(path + " is open for reading only");
        }
        return uncached.write(real, channel, source, position);
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public void truncate(long size) throws IOException {
        channel.truncate(size);
    }

    @Override
    public void sync() throws IOException {
        channel.force(false);
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
