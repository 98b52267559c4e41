package io.kvstore.hash.file;

import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import io.kvstore.value.segment.ValueSegmentFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An open index file.
 *
 * @param path its name, which differs from the one under which it was made
 * @param fileSeed seeds the checksums of its blocks
 */
record OpenFile(StorageFile file, String path, long number, long fileSeed) {

    static long fileSeed(TableContext context, long number) {
        return ValueSegmentFormat.seed(context.fileTag(), number);
    }

    static OpenFile open(TableContext context, long number) throws IOException {
        String path = IndexDirectory.path(context, number);
        StorageFile file = context.readOnly()
                ? context.storage().openReadOnly(path)
                : context.storage().open(path);
        return new OpenFile(file, path, number, fileSeed(context, number));
    }

    /** Makes an empty file that has no name as an index file yet. */
    static OpenFile create(TableContext context, long number) throws IOException {
        String path = IndexDirectory.unnamedPath(context, number);
        context.storage().delete(path);
        StorageFile file = context.storage().create(path);
        return new OpenFile(file, IndexDirectory.path(context, number), number, fileSeed(context, number));
    }

    /** Checks the head. Returns the seed of the table's hashes. */
    long readHead(TableContext context) throws IOException {
        return IndexFormat.readHead(path, unit(0), context.fileTag(), number);
    }

    @Nullable
    IndexMark readMark() throws IOException {
        return IndexMark.read(path, unit(IndexFormat.MARK_OFFSET), fileSeed);
    }

    private byte[] unit(long offset) throws IOException {
        byte[] unit = new byte[IndexFormat.UNIT_BYTES];
        if (file.size() < offset + unit.length) {
            throw new CorruptionException(path, file.size(), "is too short for an index file");
        }
        file.readFully(ByteBuffer.wrap(unit), offset);
        return unit;
    }

    void write(IndexMark mark) throws IOException {
        file.write(ByteBuffer.wrap(mark.toBytes(fileSeed)), IndexFormat.MARK_OFFSET);
    }

    /** Writes the block of a commit once more, with the same bytes. */
    void writeAgain(CommitPlace place) throws IOException {
        ByteBuffer block = ByteBuffer.allocate((int) (place.end() - place.offset()));
        file.readFully(block, place.offset());
        file.write(block.flip(), place.offset());
    }

    /** Reads blocks up to {@code end}. */
    BlockReader reader(long end) {
        return new BlockReader(file, path, fileSeed, end, false);
    }

    /** As {@link #reader}, for a file of which the disk may not give every byte. */
    BlockReader lenientReader(long end) {
        return new BlockReader(file, path, fileSeed, end, true);
    }
}
