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

    /** How large segments of values are while little is alive, and where memory for pages is not even that. */
    private static final long LEAST_SEGMENT_BYTES = 4 << 20;

    private static final long MOST_SEGMENT_BYTES = 64 << 20;

    static TableFiles open(TableContext context, long bufferBytes) throws IOException {
        Image image = openImage(context);
        boolean opened = false;
        try {
            ValueSegmentList segments = image == null || image.newest().values() == 0
                    ? ValueSegmentList.EMPTY
                    : ValueSegmentList.read(image.values());
            TableFiles files = new TableFiles(image, openValues(context, bufferBytes, segments));
            opened = true;
            return files;
        } finally {
            if (!opened && image != null) {
                image.close();
            }
        }
    }

    private static ValueStore openValues(TableContext context, long bufferBytes, ValueSegmentList segments)
            throws IOException {
        long least = Math.min(LEAST_SEGMENT_BYTES, bufferBytes);
        return ValueStore.open(context, least, Math.max(least, MOST_SEGMENT_BYTES), segments);
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
