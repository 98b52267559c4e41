package io.kvstore.durability;

import io.kvstore.error.Closing;
import io.kvstore.io.NestedStorage;
import io.kvstore.io.Storage;
import io.kvstore.io.TemporaryDirectory;
import java.io.IOException;

/**
 * A directory for the files of one job, in the directory of the store, so on its disk. {@link #close} deletes it. One that a
 * kill left is deleted when the store is opened again. A store in memory has such files in a temporary directory of the system.
 */
public final class ScratchDirectory implements AutoCloseable {

    private final Storage files;
    private final AutoCloseable end;

    private ScratchDirectory(Storage files, AutoCloseable end) {
        this.files = files;
        this.end = end;
    }

    static ScratchDirectory make(StoreServices services) throws IOException {
        Storage storage = services.storage();
        if (storage.isVolatile()) {
            TemporaryDirectory temporary = TemporaryDirectory.make();
            return new ScratchDirectory(temporary.files(), temporary);
        }
        String name = StoreFiles.SCRATCH_NAME.of(
                Integer.toUnsignedLong(services.catalog().takeTableId()));
        storage.createDirectory(name);
        return new ScratchDirectory(new NestedStorage(storage, name), () -> storage.deleteTree(name));
    }

    /** The files. There are none at first. */
    public Storage files() {
        return files;
    }

    /** Deletes the files. What cannot be deleted is told to the log of the program, and goes with the next opening. */
    @Override
    public void close() {
        Closing.giveUp(end, ScratchDirectory.class, files.toString());
    }
}
