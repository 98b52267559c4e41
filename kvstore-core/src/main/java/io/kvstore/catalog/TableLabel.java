package io.kvstore.catalog;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.Storage;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Says which table a directory has, for the case that the catalog is damaged: {@code docs/file-formats.md} has a drawing. It is
 * made before the catalog lists the table, is made anew when the table has another name or other parameters, and counts for
 * nothing while the catalog is sound.
 *
 * @param table as the catalog had it when the label was made
 */
public record TableLabel(long storeIdHigh, long storeIdLow, TableInfo table) {

    static final FileHeader HEADER = new FileHeader("KVTABLE1", "label of a table", 1);

    private static final String FILE = "LABEL";
    private static final int MOST_BYTES = 1 << 20;

    /** The version of the catalog whose form of a table a label has. */
    private static final int FORM_OF_CATALOG = 3;

    private static String pathIn(String directory) {
        return directory + "/" + FILE;
    }

    /** Labels the directory of a table, durably. */
    public static void write(Storage storage, String directory, CatalogState store, TableInfo table)
            throws IOException {
        ByteWriter out = new ByteWriter(1 << 10);
        HEADER.write(out, 0);
        out.u64(store.storeIdHigh()).u64(store.storeIdLow());
        CatalogFormat.encode(out, table);
        out.checksumFrom(0);
        AtomicFile.write(storage, pathIn(directory), out.toBuffer());
    }

    /**
     * The label of a directory.
     *
     * @return null if the directory has none, as those of older releases
     * @throws CorruptionException if the label is damaged
     */
    public static @Nullable TableLabel read(Storage storage, String directory) throws IOException {
        String path = pathIn(directory);
        byte[] bytes = AtomicFile.read(storage, path, MOST_BYTES);
        if (bytes == null) {
            return null;
        }
        ByteReader in = new ByteReader(path, bytes);
        HEADER.read(in, path);
        in.skip(Math.max(0, in.remaining() - Integer.BYTES));
        in.checksumFrom(0);
        ByteReader body = new ByteReader(path, 0, bytes, 0, bytes.length - Integer.BYTES);
        body.skip(FileHeader.BYTES);
        TableLabel label = new TableLabel(body.u64(), body.u64(), CatalogFormat.decodeTable(body, FORM_OF_CATALOG));
        body.end();
        return label;
    }
}
