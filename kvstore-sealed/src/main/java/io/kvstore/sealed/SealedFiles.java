package io.kvstore.sealed;

import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableFileFormat;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.build.SealedFileWriter;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.sealed.read.SealedFile;
import java.io.IOException;

/** The format of sealed files. */
final class SealedFiles implements TableFileFormat {

    private static final String FILE_NAME = "table.sealed";

    static String pathIn(TableContext context) {
        return context.directory() + "/" + FILE_NAME;
    }

    @Override
    public String magic() {
        return SealedFormat.MAGIC;
    }

    @Override
    public String fileName() {
        return FILE_NAME;
    }

    @Override
    public TableFileWriter create(Storage storage, String path, TableFileSettings settings) throws IOException {
        return SealedFileWriter.create(storage, path, settings);
    }

    @Override
    public TableFileReader open(Storage storage, String path) throws IOException {
        boolean isMapped = !storage.missingAbilities().contains(FileSystemAbility.MAPPED_FILES);
        return SealedFile.open(storage, path, (file, bytes) -> isMapped ? storage.mapReadOnly(file, bytes) : null);
    }

    /** The file is durable before its mark is, and both are before the table is opened. */
    @Override
    public TableFileInfo install(TableContext context, Runnable requireGoing) throws IOException {
        String path = pathIn(context);
        try (StorageFile file = context.storage().open(path)) {
            file.sync();
        }
        try (SealedFile file = SealedFile.open(context.storage(), path, context::map)) {
            file.requireSound(requireGoing);
            TableMark.of(context, file).write(context);
            return file.info();
        }
    }
}
