package io.kvstore.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What the disk can do: the bytes of an entry at the next place of a file without holes, then a sync, one after another. */
final class DeviceSubject implements Subject {

    private static final int FILL_BYTES = 4096;
    private static final long FILE_BYTES = 64L << 20;
    private static final int RECORD_BYTES = 1024;

    private final FileChannel channel;
    private final ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
    private long position;
    private long syncs;

    DeviceSubject(Path directory) throws IOException {
        channel = FileChannel.open(
                directory.resolve("device"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        ByteBuffer zeros = ByteBuffer.allocateDirect(FILL_BYTES);
        for (long at = 0; at < FILE_BYTES; at += FILL_BYTES) {
            channel.write(zeros.clear(), at);
        }
        channel.force(true);
    }

    @Override
    public synchronized void put(byte[] key, byte[] value, boolean synced) throws IOException {
        record.clear().put(key).put(value).position(0);
        channel.write(record, position);
        position = (position + RECORD_BYTES) % FILE_BYTES;
        if (synced) {
            channel.force(false);
            syncs++;
        }
    }

    @Override
    public void settle() {
        // It has no memtable.
    }

    @Override
    public synchronized long syncs() {
        return syncs;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
