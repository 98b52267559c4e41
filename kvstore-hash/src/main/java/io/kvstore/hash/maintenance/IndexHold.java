package io.kvstore.hash.maintenance;

import io.kvstore.engine.FileHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.hash.file.HeldIndex;
import io.kvstore.value.ValueHold;
import java.util.ArrayList;
import java.util.List;

/** The files of one commit: the index file, and the segments of values that the commit names. */
record IndexHold(HeldIndex index, ValueHold values) implements FileHold {

    @Override
    public long lsn() {
        return index.commit().lsn();
    }

    @Override
    public List<HeldFile> files() {
        List<HeldFile> files = new ArrayList<>(values.files());
        files.add(index.file());
        return files;
    }

    @Override
    public long pinnedBytes() {
        return index.replacedBytes() + values.pinnedBytes();
    }

    @Override
    public void close() {
        try (values;
                index) {
            // both are closed by the try statement
        }
    }
}
