package io.kvstore.testkit;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one file of a {@link ModelEngine}: header, file tag u32, lsn u64, count as a varint, then for each entry key and
 * value with their lengths and the lsn of the entry, and the CRC32C of all that follows the header.
 */
final class ModelFile {

    private static final FileHeader HEADER = new FileHeader("KVSMODEL", "model table", 1);
    static final String NAME = "table";
    private static final int MAX_BYTES = 1 << 30;

    private final Storage storage;
    private final String path;
    private final int tag;
    private volatile long bytes;

    ModelFile(Storage storage, String directory, int tag) {
        this.storage = storage;
        this.path = directory + "/" + NAME;
        this.tag = tag;
    }

    /** Hands on every entry; the lsn that the file is of, 0 without a file. */
    long read(Consumer<ModelEngine.Version> entries) throws IOException {
        byte[] content = AtomicFile.read(storage, path, MAX_BYTES);
        if (content == null) {
            return 0;
        }
        bytes = content.length;
        ByteReader in = new ByteReader(path, content);
        if (HEADER.read(in, path).flags() != 0 || in.u32() != tag) {
            throw new CorruptionException(path, FileHeader.BYTES, "the file is of another table");
        }
        long lsn = in.u64();
        int count = in.count();
        for (int i = 0; i < count; i++) {
            byte[] key = in.sized();
            byte[] value = in.sized();
            entries.accept(new ModelEngine.Version(key, in.varint(), value));
        }
        in.checksumFrom(FileHeader.BYTES);
        in.end();
        return lsn;
    }

    void write(long lsn, List<ModelEngine.Version> entries) throws IOException {
        ByteWriter out = new ByteWriter();
        HEADER.write(out, 0);
        out.u32(tag).u64(lsn).varint(entries.size());
        for (ModelEngine.Version entry : entries) {
            out.sized(entry.key()).sized(Objects.requireNonNull(entry.value())).varint(entry.lsn());
        }
        out.checksumFrom(FileHeader.BYTES);
        AtomicFile.write(storage, path, out.toBuffer());
        bytes = out.size();
    }

    byte @Nullable [] bytesOrNull() throws IOException {
        return AtomicFile.read(storage, path, MAX_BYTES);
    }

    long bytes() {
        return bytes;
    }
}
