package io.kvstore.bplus.file;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.StorageFile;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of a table as its last checkpoint left them.
 *
 * @param pageStore null if there is no page file and none may be made
 * @param values the segments that the page store names
 */
public record TableFiles(@Nullable PageStore pageStore, ValueStore values) implements AutoCloseable {

    /** The size of value segments while few bytes are alive. Where the page buffer is smaller, segments have its size. */
    private static final long LEAST_SEGMENT_BYTES = 4 << 20;

    private static final long MOST_SEGMENT_BYTES = 64 << 20;

    public static TableFiles open(TableContext context, long bufferBytes) throws IOException {
        PageStore pageStore = openPageStore(context);
        try {
            ValueSegmentList segments = pageStore == null || pageStore.newest().values() == 0
                    ? ValueSegmentList.EMPTY
                    : ValueSegmentList.read(pageStore.values());
            long least = Math.min(LEAST_SEGMENT_BYTES, bufferBytes);
            long most = Math.max(least, MOST_SEGMENT_BYTES);
            return new TableFiles(pageStore, ValueStore.open(context, new ValueStore.Sizes(least, most), segments));
        } catch (Throwable e) {
            if (pageStore != null) {
                pageStore.close();
            }
            throw e;
        }
    }

    /** Opens the readable files of a damaged table, to be read only. */
    public static TableFiles openDamaged(TableContext context, long bufferBytes, Findings losses) throws IOException {
        StorageFile file = context.storage().openReadOnly(context.directory() + "/" + PageStore.NAME);
        try {
            PageStore pageStore = DamagedPages.open(file, context.fileTag(), losses);
            long least = Math.min(LEAST_SEGMENT_BYTES, bufferBytes);
            ValueStore.Sizes sizes = new ValueStore.Sizes(least, Math.max(least, MOST_SEGMENT_BYTES));
            return new TableFiles(pageStore, ValueStore.openDamaged(context, sizes, losses));
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    private static @Nullable PageStore openPageStore(TableContext context) throws IOException {
        String path = context.directory() + "/" + PageStore.NAME;
        if (!context.storage().exists(path)) {
            List<String> names = new ArrayList<>(context.storage().list(context.directory()));
            names.remove(PageStore.NAME + AtomicFile.TEMPORARY);
            if (!names.isEmpty()) {
                throw new CorruptionException(path, -1, "is missing beside " + names);
            }
            if (context.readOnly()) {
                return null;
            }
            PageStore.create(context.storage(), context.directory(), context.fileTag());
        }
        StorageFile opened = context.readOnly()
                ? context.storage().openReadOnly(path)
                : context.storage().open(path);
        boolean complete = false;
        try {
            PageStore pageStore = PageStore.open(opened, context.fileTag());
            if (!context.readOnly()) {
                pageStore.confirm();
            }
            complete = true;
            return pageStore;
        } catch (UncertainOutcomeException e) {
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
        try (pageStore) {
            values.close();
        }
    }
}
