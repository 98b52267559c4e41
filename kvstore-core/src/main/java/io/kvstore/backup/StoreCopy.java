package io.kvstore.backup;

import io.kvstore.durability.StoreHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.io.FileAppender;
import io.kvstore.io.ForeignFile;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.LogHold;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes a store of one that is open. Files that never change any more are linked where the file system can do that, and all
 * others are copied: the log, the catalog, page files, manifests, and segments that still grow.
 */
public final class StoreCopy {

    private final StoreHold hold;
    private final NewDirectory target;
    private final ByteBuffer piece = ByteBuffer.allocate(StoredFile.PART_BYTES);

    private StoreCopy(StoreHold hold, NewDirectory target) {
        this.hold = hold;
        this.target = target;
    }

    /** Writes all files, durable when this returns. */
    public static void run(StoreHold hold, NewDirectory target) throws IOException {
        new StoreCopy(hold, target).run();
    }

    private void run() throws IOException {
        target.make(hold.directories());
        HeldFile catalog = hold.copyLog(target.storage(), target.path(LogHold.DIRECTORY));
        for (StoreHold.File file : hold.tableFiles()) {
            ForeignFile linked = hold.linkable(file);
            if (linked != null) {
                target.adopt(linked, file.path());
            } else {
                copy(file.held(), file.path());
            }
            hold.letGo(file.held());
        }
        copy(catalog, catalog.name());
        target.sync(hold.directories());
    }

    private void copy(HeldFile file, String path) throws IOException {
        try (HeldFile.Reader reader = hold.reading(file.source()::open);
                StorageFile out = target.create(path)) {
            FileAppender appender = new FileAppender(out);
            for (long at = 0; at < file.bytes(); at += piece.limit()) {
                piece.clear().limit((int) Math.min(StoredFile.PART_BYTES, file.bytes() - at));
                hold.reading(() -> {
                    reader.read(piece);
                    return null;
                });
                appender.append(piece.flip());
            }
            reader.end();
            appender.flush();
            out.sync();
        }
    }
}
