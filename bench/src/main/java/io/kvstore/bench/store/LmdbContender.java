package io.kvstore.bench.store;

import java.nio.ByteBuffer;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;

/**
 * LMDB through lmdbjava. It has no log. If a put must survive the process, it is a transaction of its own without a sync. If it
 * must survive a power loss, it is one with a sync. If puts need not survive anything, each session gathers them into larger
 * transactions.
 */
public final class LmdbContender implements Contender {

    /** The number of puts of one transaction if none has to survive a crash. */
    public static final int BATCH = 256;

    private static final long MAP_BYTES = 64L << 30;
    private static final int READERS = 1024;

    private final StoreSetup setup;
    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> entries;

    LmdbContender(StoreSetup setup) {
        this.setup = setup;
        EnvFlags[] flags = switch (setup.logging()) {
            case OFF ->
                new EnvFlags[] {
                    EnvFlags.MDB_NOTLS,
                    EnvFlags.MDB_WRITEMAP,
                    EnvFlags.MDB_MAPASYNC,
                    EnvFlags.MDB_NOSYNC,
                    EnvFlags.MDB_NOMETASYNC
                };
            case BUFFERED ->
                new EnvFlags[] {EnvFlags.MDB_NOTLS, EnvFlags.MDB_WRITEMAP, EnvFlags.MDB_NOSYNC, EnvFlags.MDB_NOMETASYNC
                };
            case SYNC -> new EnvFlags[] {EnvFlags.MDB_NOTLS};
        };
        env = Env.create(ByteBufferProxy.PROXY_OPTIMAL)
                .setMapSize(MAP_BYTES)
                .setMaxDbs(1)
                .setMaxReaders(READERS)
                .open(setup.directory().toFile(), flags);
        entries = env.openDbi("entries", DbiFlags.MDB_CREATE);
    }

    @Override
    public Session session() {
        return new LmdbSession(env, entries, setup.shape(), setup.logging() == Logging.OFF ? BATCH : 1);
    }

    @Override
    public void flush() {
        // Committed data is in the pages of the file, and there is no other.
    }

    @Override
    public void close() {
        env.close();
    }
}
