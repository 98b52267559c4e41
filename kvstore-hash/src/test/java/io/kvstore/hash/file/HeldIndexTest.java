package io.kvstore.hash.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.engine.HeldFile;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** Readers of an index file that is held. */
@NullUnmarked // a commit that is not there stands for memory that is not
final class HeldIndexTest {

    private final SimStorage disk = new SimStorage();

    private HeldFile held(StorageFile file, IndexCommit commit) {
        OpenFile open = new OpenFile(file, IndexTable.PATH, 1, 7);
        return new HeldIndex(
                        new IndexTable().context(disk, true),
                        open,
                        new CommitPlace(commit, IndexFormat.FIRST_BLOCK, IndexFormat.FIRST_BLOCK),
                        any -> false,
                        any -> {})
                .file();
    }

    @Test
    void a_reader_that_cannot_be_made_leaves_no_file_open() throws IOException {
        IndexTable.make(disk);
        try (StorageFile file = disk.create(IndexTable.PATH)) {
            int open = disk.openResources();
            HeldFile broken = held(file, null);
            assertThrows(NullPointerException.class, () -> broken.source().open());
            assertEquals(open, disk.openResources());
            HeldFile sound = held(file, new IndexCommit(1, 1, 0, ValueSegmentList.EMPTY));
            try (HeldFile.Reader _ = sound.source().open()) {
                assertEquals(open + 1, disk.openResources());
            }
            assertEquals(open, disk.openResources());
        }
    }
}
