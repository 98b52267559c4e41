package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.file.HeldPages;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.value.ValueHold;
import java.util.ArrayList;
import java.util.List;

/** The files of one durable state of a tree: pages, and the segments of values that they point into. */
record TreeHold(HeldPages pages, ValueHold values) implements FileHold {

    @Override
    public long lsn() {
        return pages.lsn();
    }

    @Override
    public List<HeldFile> files() {
        List<HeldFile> files = new ArrayList<>(values.files());
        files.add(pages.file());
        return files;
    }

    @Override
    public long pinnedBytes() {
        return pages.pinnedBytes() + values.pinnedBytes();
    }

    @Override
    public void close() {
        try (pages;
                values) {
            // both are closed by the try statement
        }
    }
}
