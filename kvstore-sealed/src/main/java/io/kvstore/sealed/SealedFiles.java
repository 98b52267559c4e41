package io.kvstore.sealed;

import io.kvstore.engine.Progress;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableFileFormat;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import io.kvstore.sealed.build.SealedFileWriter;
import io.kvstore.sealed.read.SealedFile;
import java.io.IOException;

/** The format of sealed files. */
final class SealedFiles implements TableFileFormat {

    @Override
    public TableFileWriter create(Storage storage, String path, TableFileSettings settings) throws IOException {
        if (!settings.codec().equals(TableFileSettings.NO_CODEC)) {
            throw new InvalidRequestException("the codec is " + settings.codec() + "; a sealed file takes NONE");
        }
        return SealedFileWriter.create(storage, path, settings);
    }

    @Override
    public TableFileReader open(Storage storage, String path) throws IOException {
        boolean isMapped = !storage.missingAbilities().contains(FileSystemAbility.MAPPED_FILES);
        return SealedFile.open(storage, path, (file, bytes) -> isMapped ? storage.mapReadOnly(file, bytes) : null);
    }

    @Override
    public TableFileInfo install(TableContext context, String path) throws IOException {
        try (SealedFile file = SealedFile.open(context.storage(), path, context::map)) {
            file.requireSound(Progress.NONE);
            return file.info();
        }
    }
}
