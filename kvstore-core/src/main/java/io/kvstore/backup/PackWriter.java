package io.kvstore.backup;

import io.kvstore.bytes.ByteCopy;
import io.kvstore.data.Workers;
import io.kvstore.error.Notices;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Writes parts to new packs. A close deletes them, unless {@link #keep} was called. For one thread.
 *
 * <p>Parts are collected in one of two blocks while the other one is written, in the background and past the system's cache of
 * files: nobody reads a backup soon, and what the cache has of the store stays there. At most one write is under way.
 */
final class PackWriter implements AutoCloseable {

    /** A pack begins when the one before is that long. So a part that nobody needs any more keeps few others. */
    private static final long PACK_BYTES = 64 << 20;

    /** Length of a write. Larger ones were no faster. */
    private static final int BLOCK_BYTES = 2 << 20;

    private final Storage storage;
    private final AheadTasks writes;
    private final Map<Long, Long> packs = new TreeMap<>();
    private long number;
    private ByteBuffer block = newBlock();
    private ByteBuffer otherBlock = newBlock();

    /** The pack that grows. */
    private @Nullable StorageFile file;

    /** Where the block begins in the pack. */
    private long blockStart;

    /** Writes the other block. */
    private @Nullable FutureTask<Boolean> underWay;

    /** The pack whose last write is under way. */
    private @Nullable StorageFile ended;

    private boolean kept;

    /** @param lastNumber greater numbers are free */
    PackWriter(Storage storage, long lastNumber, Workers workers) {
        this.storage = storage;
        this.number = lastNumber;
        this.writes = new AheadTasks(workers);
    }

    private static ByteBuffer newBlock() {
        return Arena.ofAuto()
                .allocate(BLOCK_BYTES, StorageFile.UNCACHED_UNIT_BYTES)
                .asByteBuffer();
    }

    /** Adds a part, the remaining bytes of a buffer, whose position stays. */
    StoredFile.Part add(PartHash hash, ByteBuffer bytes) throws IOException {
        StorageFile target = target();
        long offset = written();
        int length = bytes.remaining();
        append(target, ByteBuffer.wrap(Pack.partHead(number, offset, length, hash)));
        append(target, bytes.duplicate());
        packs.put(number, written());
        return new StoredFile.Part(hash, length, number, offset);
    }

    private long written() {
        return blockStart + block.position();
    }

    private StorageFile target() throws IOException {
        StorageFile present = file;
        if (present != null && written() < PACK_BYTES) {
            return present;
        }
        end();
        number++;
        StorageFile created = storage.create(Pack.path(number));
        file = created;
        packs.put(number, 0L);
        blockStart = 0;
        append(created, ByteBuffer.wrap(Pack.header(number)));
        return created;
    }

    private void append(StorageFile target, ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            ByteCopy.fill(block, source);
            if (!block.hasRemaining()) {
                writeBlock(target, false);
            }
        }
    }

    /** Begins to write the block. The next one is empty. */
    private void writeBlock(StorageFile target, boolean isLast) throws IOException {
        awaitWrite();
        ByteBuffer written = block.flip();
        long start = blockStart;
        blockStart += written.remaining();
        FutureTask<Boolean> write = new FutureTask<>(() -> {
            target.writeUncached(written, start);
            if (isLast) {
                target.sync();
            }
            return true;
        });
        underWay = write;
        writes.add(write);
        block = otherBlock.clear();
        otherBlock = written;
    }

    private void awaitWrite() throws IOException {
        FutureTask<Boolean> write = underWay;
        if (write != null) {
            underWay = null;
            writes.result(write);
        }
        StorageFile complete = ended;
        if (complete != null) {
            ended = null;
            complete.close();
        }
    }

    private void end() throws IOException {
        StorageFile grown = file;
        if (grown != null) {
            writeBlock(grown, true);
            ended = grown;
            file = null;
        }
    }

    /** Makes the packs and their names durable. Returns their lengths by number. */
    Map<Long, Long> finish() throws IOException {
        end();
        awaitWrite();
        storage.syncDirectory(Pack.DIRECTORY);
        return packs;
    }

    /** From now on a manifest may name the packs. */
    void keep() {
        kept = true;
    }

    @Override
    public void close() throws IOException {
        if (underWay != null) {
            writes.drop(underWay);
            underWay = null;
        }
        try (StorageFile _ = file;
                StorageFile _ = ended) {
            file = null;
            ended = null;
        }
        if (!kept) {
            for (long written : packs.keySet()) {
                delete(Pack.path(written));
            }
        }
    }

    private void delete(String path) {
        try {
            storage.delete(path);
        } catch (IOException e) {
            Notices.warning(PackWriter.class, path, "it belongs to no backup and stays until the next one", e);
        }
    }
}
