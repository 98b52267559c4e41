package io.kvstore.backup;

import io.kvstore.error.Notices;
import io.kvstore.io.FileAppender;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes parts to new packs. A close deletes them, unless {@link #keep} was called. For one thread. */
final class PackWriter implements AutoCloseable {

    /** A pack begins when the one before is that long. So a part that nobody needs any more keeps few others. */
    private static final long PACK_BYTES = 64 << 20;

    private final Storage storage;
    private final Map<Long, Long> packs = new TreeMap<>();
    private long number;
    private @Nullable StorageFile file;
    private @Nullable FileAppender out;
    private boolean kept;

    /** @param lastNumber greater numbers are free */
    PackWriter(Storage storage, long lastNumber) {
        this.storage = storage;
        this.number = lastNumber;
    }

    /** Adds a part, the remaining bytes of a buffer, whose position stays. */
    StoredFile.Part add(PartHash hash, ByteBuffer bytes) throws IOException {
        FileAppender target = target();
        long offset = target.written();
        int length = bytes.remaining();
        target.append(Pack.partHead(number, offset, length, hash), Pack.PART_HEAD_BYTES);
        target.append(bytes.duplicate());
        packs.put(number, target.written());
        return new StoredFile.Part(hash, length, number, offset);
    }

    private FileAppender target() throws IOException {
        FileAppender present = out;
        if (present != null && present.written() < PACK_BYTES) {
            return present;
        }
        end();
        number++;
        StorageFile created = storage.create(Pack.path(number));
        file = created;
        packs.put(number, 0L);
        FileAppender begun = new FileAppender(created);
        begun.append(Pack.header(number), Pack.HEADER_BYTES);
        out = begun;
        return begun;
    }

    private void end() throws IOException {
        StorageFile written = file;
        if (written == null || out == null) {
            return;
        }
        out.flush();
        written.sync();
        out = null;
        file = null;
        written.close();
    }

    /** Makes the packs and their names durable. Returns their lengths by number. */
    Map<Long, Long> finish() throws IOException {
        end();
        storage.syncDirectory(Pack.DIRECTORY);
        return packs;
    }

    /** From now on a manifest may name the packs. */
    void keep() {
        kept = true;
    }

    @Override
    public void close() throws IOException {
        try (StorageFile _ = file) {
            file = null;
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
