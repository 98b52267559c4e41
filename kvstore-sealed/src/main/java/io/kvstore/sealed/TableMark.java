package io.kvstore.sealed;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.sealed.read.SealedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Says which file is the contents of a table, because a sealed file knows no table. So a file of another build, or one that was
 * put back, is refused.
 *
 * @param tableTag of the table
 * @param fileId of the file
 * @param fileBytes length of the file
 * @param footerChecksum of the file's footer, which rests on all its bytes
 */
record TableMark(int tableTag, String fileId, long fileBytes, int footerChecksum) {

    static final FileHeader HEADER = new FileHeader("KVSEALM1", "mark of a sealed table", 1);

    static final String NAME = "SEALED";
    private static final int MOST_BYTES = 256;

    static TableMark of(TableContext context, SealedFile file) {
        return new TableMark(context.fileTag(), file.info().id(), file.info().fileBytes(), file.footerChecksum());
    }

    private static String path(TableContext context) {
        return context.directory() + "/" + NAME;
    }

    /** Makes the mark durable. */
    void write(TableContext context) throws IOException {
        AtomicFile.write(context.storage(), path(context), ByteBuffer.wrap(toBytes()));
    }

    /** The bytes of a file with the mark. */
    byte[] toBytes() {
        ByteWriter out = new ByteWriter(MOST_BYTES);
        HEADER.write(out, 0);
        int start = out.size();
        out.u32(tableTag).text(fileId).u64(fileBytes).u32(footerChecksum).checksumFrom(start);
        return out.toArray();
    }

    /** The mark of a table, or null if it has no contents. */
    static @Nullable TableMark read(TableContext context) throws IOException {
        String path = path(context);
        byte[] bytes = AtomicFile.read(context.storage(), path, MOST_BYTES);
        if (bytes == null) {
            return null;
        }
        ByteReader in = new ByteReader(path, bytes);
        int flags = HEADER.read(in, path).flags();
        int start = in.position();
        TableMark mark = new TableMark(in.u32(), in.text(), in.u64(), in.u32());
        in.checksumFrom(start);
        in.end();
        if (flags != 0 || mark.tableTag() != context.fileTag()) {
            throw new CorruptionException(path, -1, "it is the mark of another table; put back the right one");
        }
        return mark;
    }
}
