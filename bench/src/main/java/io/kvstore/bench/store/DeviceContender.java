package io.kvstore.bench.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * No store, but the limit of the disk. The bytes of an entry are written to the next place of a file without holes, and synced,
 * one entry after another. This is the bound for a lone writer.
 */
final class DeviceContender implements Contender {

    private static final int FILL_BYTES = 4096;
    private static final long LEAST_FILE_BYTES = 1L << 20;
    private static final long MOST_FILE_BYTES = 64L << 20;
    private static final int RECORD_BYTES = 1024;

    private final FileChannel channel;
    private final boolean syncs;
    private final long fileBytes;
    private final ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
    private long position;

    DeviceContender(StoreSetup setup) throws IOException {
        syncs = setup.logging() == Logging.SYNC;
        fileBytes = Math.clamp(setup.entries() * RECORD_BYTES, LEAST_FILE_BYTES, MOST_FILE_BYTES);
        channel = FileChannel.open(
                setup.directory().resolve("device"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        ByteBuffer zeros = ByteBuffer.allocateDirect(FILL_BYTES);
        for (long at = 0; at < fileBytes; at += FILL_BYTES) {
            channel.write(zeros.clear(), at);
        }
        channel.force(true);
    }

    @Override
    public Session session() {
        return new DeviceSession();
    }

    @Override
    public void flush() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private synchronized void write(byte[] key, byte[] value) throws IOException {
        record.clear().put(key).put(value).position(0);
        channel.write(record, position);
        position = (position + RECORD_BYTES) % fileBytes;
        if (syncs) {
            channel.force(false);
        }
    }

    private final class DeviceSession implements Session {

        @Override
        public void put(byte[] key, byte[] value) throws IOException {
            write(key, value);
        }

        @Override
        public void remove(byte[] key) {
            throw new UnsupportedOperationException("DEVICE removes nothing");
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            throw new UnsupportedOperationException("DEVICE knows no keys");
        }

        @Override
        public void scan(byte[] from, int limit, Visitor visitor) {
            throw new UnsupportedOperationException("DEVICE has no order");
        }

        @Override
        public void close() {
            // The file belongs to all sessions.
        }
    }
}
