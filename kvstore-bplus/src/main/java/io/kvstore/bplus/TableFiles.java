package io.kvstore.bplus;

import io.kvstore.bplus.file.FinalFailureException;
import io.kvstore.bplus.file.Image;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.StorageFile;
import io.kvstore.value.ValueSegmentList;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of a table as its last checkpoint left them.
 *
 * @param image null if there is none and none may be made
 * @param values the segments that the image names
 */
record TableFiles(@Nullable Image image, ValueStore values) implements AutoCloseable {

    static TableFiles open(TableContext context, long segmentBytes) throws IOException {
        Image image = openImage(context);
        boolean opened = false;
        try {
            ValueSegmentList segments = image == null || image.newest().values() == 0
                    ? ValueSegmentList.EMPTY
                    : ValueSegmentList.read(image.values());
            TableFiles files = new TableFiles(image, ValueStore.open(context, segmentBytes, segments));
            opened = true;
            return files;
        } finally {
            if (!opened && image != null) {
                image.close();
            }
        }
    }

    private static @Nullable Image openImage(TableContext context) throws IOException {
        String path = context.directory() + "/" + Image.NAME;
        if (!context.storage().exists(path)) {
            List<String> names = new ArrayList<>(context.storage().list(context.directory()));
            names.remove(Image.NAME + AtomicFile.TEMPORARY);
            if (!names.isEmpty()) {
                throw new CorruptionException(path, -1, "is missing beside " + names);
            }
            if (context.readOnly()) {
                return null;
            }
            Image.create(context.storage(), context.directory(), context.fileTag());
        }
        StorageFile opened = context.readOnly()
                ? context.storage().openReadOnly(path)
                : context.storage().open(path);
        boolean complete = false;
        try {
            Image image = Image.open(opened, context.fileTag());
            if (!context.readOnly()) {
                image.confirm();
            }
            complete = true;
            return image;
        } catch (FinalFailureException e) {
            context.failures().fail(e);
            throw e;
        } finally {
            if (!complete) {
                opened.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (image) {
            values.close();
        }
    }
}
