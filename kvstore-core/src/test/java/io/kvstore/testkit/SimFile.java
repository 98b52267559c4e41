package io.kvstore.testkit;

import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/** An open file of {@link SimStorage}. */
final class SimFile implements StorageFile, LosesUnsynced {

    private final SimStorage storage;
    private final String path;
    private final SimInode inode;
    private final boolean writable;
    private boolean closed;

    /** Called under the storage's monitor. */
    SimFile(SimStorage storage, String path, SimInode inode, boolean writable) {
        this.storage = storage;
        this.path = path;
        this.inode = inode;
        this.writable = writable;
        inode.refer();
        storage.opened();
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        synchronized (storage) {
            checkOpen();
            return inode.read(target, position);
        }
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        synchronized (storage) {
            checkWritable();
            byte[] bytes = new byte[source.remaining()];
            source.get(bytes);
            if (bytes.length > 0) {
                inode.write(bytes, position);
            }
        }
    }

    /** There is no cache. */
    @Override
    public long writeUncached(ByteBuffer source, long position) throws IOException {
        boolean isAligned = source.isDirect() && source.alignmentOffset(source.position(), UNCACHED_UNIT_BYTES) == 0;
        if (!isAligned || position % UNCACHED_UNIT_BYTES != 0) {
            throw new IllegalArgumentException(path + " at " + position + ": a real file would go through the cache");
        }
        int bytes = source.remaining();
        write(source, position);
        return bytes;
    }

    @Override
    public long size() throws IOException {
        synchronized (storage) {
            checkOpen();
            return inode.size();
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        synchronized (storage) {
            checkWritable();
            inode.truncate(size);
        }
    }

    @Override
    public void sync() throws IOException {
        synchronized (storage) {
            checkOpen();
            storage.begin();
            inode.sync();
        }
    }

    @Override
    public void loseUnsynced(SyncLoss loss) {
        synchronized (storage) {
            inode.lose(loss);
        }
    }

    @Override
    public void close() {
        synchronized (storage) {
            if (!closed) {
                closed = true;
                inode.unrefer();
                storage.closed();
            }
        }
    }

    private void checkOpen() throws IOException {
        storage.checkOn();
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    private void checkWritable() throws IOException {
        checkOpen();
        if (!writable) {
            throw new IOException(path + " is open for reading only");
        }
        storage.begin();
    }
}
