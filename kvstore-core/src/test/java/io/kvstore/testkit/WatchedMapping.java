package io.kvstore.testkit;

import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A mapping of {@link WatchedStorage}. */
final class WatchedMapping implements WritableMapping, LosesUnsynced {

    private final WatchedStorage owner;
    private final String path;
    private final WritableMapping inner;

    WatchedMapping(WatchedStorage owner, String path, WritableMapping inner) {
        this.owner = owner;
        this.path = path;
        this.inner = inner;
    }

    @Override
    public MemorySegment memory() {
        return inner.memory();
    }

    @Override
    public void force(long offset, long bytes) throws IOException {
        try {
            owner.before(Operation.FORCE, path, offset + "+" + bytes);
        } catch (IOException e) {
            loseUnsynced(owner.syncLoss());
            throw e;
        }
        inner.force(offset, bytes);
    }

    @Override
    public @Nullable WritableMapping renew() throws IOException {
        owner.before(Operation.MAP, path, "again");
        WritableMapping renewed = inner.renew();
        return renewed == null ? null : new WatchedMapping(owner, path, renewed);
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
