package io.kvstore;

import io.kvstore.durability.OpenTable;
import io.kvstore.durability.PinnedView;
import io.kvstore.engine.TableFileInfo;
import java.nio.ByteBuffer;

/**
 * The file that is the contents of a table, to be copied elsewhere. It stays as it is while this is open, whatever the table
 * gets meanwhile; so it must be closed. Safe for use by several threads.
 */
public final class TableFileCopy implements AutoCloseable {

    private final PinnedView view;
    private final OpenTable table;
    private final TableFileInfo info;

    TableFileCopy(PinnedView view, OpenTable table, TableFileInfo info) {
        this.view = view;
        this.table = table;
        this.info = info;
    }

    /** The facts that the file states about itself. */
    public TableFileInfo info() {
        return info;
    }

    /**
     * Copies bytes of the file into the remaining room of a buffer. Their checksums are in the file, and whoever opens the copy
     * checks them.
     *
     * @param offset where the bytes begin; there must be enough before the end of the file
     */
    public void read(long offset, ByteBuffer target) {
        view.copyFile(table, offset, target);
    }

    @Override
    public void close() {
        view.close();
    }
}
