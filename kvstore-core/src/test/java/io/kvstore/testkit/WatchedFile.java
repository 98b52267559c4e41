package io.kvstore.testkit;

import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of {@link WatchedStorage}. */
final class WatchedFile implements StorageFile, LosesUnsynced {

    private final WatchedStorage owner;
    private final StorageFile inner;

    WatchedFile(WatchedStorage owner, StorageFile inner) {
        this.owner = owner;
        this.inner = inner;
    }

    @Override
    public String path() {
        return inner.path();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        owner.before(Operation.READ, path(), position + "+" + target.remaining());
        return inner.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        IOException failure = owner.beforeWrite(
                new WatchedStorage.Access(Operation.WRITE, path(), position + "+" + source.remaining()));
        if (failure == null) {
            inner.write(source, position);
        } else {
            int limit = source.limit();
            source.limit(source.position() + source.remaining() / 2);
            inner.write(source, position);
            source.limit(limit);
            throw failure;
        }
    }

    /** Watched as a write. */
    @Override
    public long writeUncached(ByteBuffer source, long position) throws IOException {
        int bytes = source.remaining();
        write(source, position);
        return bytes;
    }

    @Override
    public long size() throws IOException {
        return inner.size();
    }

    @Override
    public void truncate(long size) throws IOException {
        owner.before(Operation.TRUNCATE, path(), Long.toString(size));
        inner.truncate(size);
    }

    @Override
    public void sync() throws IOException {
        try {
            owner.before(Operation.SYNC, path(), "");
        } catch (IOException e) {
            loseUnsynced(owner.syncLoss());
            throw e;
        }
        inner.sync();
    }

    @Override
    public void loseUnsynced(SyncLoss loss) {
        if (inner instanceof LosesUnsynced loser) {
            loser.loseUnsynced(loss);
        }
    }

    @Override
    public void close() throws IOException {
        inner.close();
    }
}
