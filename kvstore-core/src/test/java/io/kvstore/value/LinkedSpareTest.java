package io.kvstore.value;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.io.ForeignFile;
import io.kvstore.io.NotOpenedException;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that a crash left is used again for other values, unless its bytes may be those of a copy of the store. */
final class LinkedSpareTest extends ValueLogFixture {

    private static final String LEFT = LoneTable.DIRECTORY + "/" + ValueSegment.fileName(77);

    @Test
    void only_a_file_without_links_is_used_again() throws IOException {
        for (boolean isLinked : new boolean[] {false, true}) {
            Storage storage = HookedStorage.over(
                    disk, (name, path, proceed) -> name.equals("mayBeLinked") ? isLinked : proceed.call());
            disk.create(LEFT).close();
            try (ValueLog log = on(storage)) {
                log.reuse(LEFT);
                assertEquals(!isLinked, disk.exists(LEFT));
                log.recovered();
                assertFalse(disk.exists(LEFT));
            }
        }
    }

    /** As where the process has no descriptor left. It has the name of a segment by then. */
    @Test
    void a_file_that_cannot_be_opened_now_is_used_by_the_next_attempt() throws IOException {
        int[] refusals = {2};
        Storage storage = HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("open") && refusals[0]-- > 0) {
                throw new NotOpenedException(path + " cannot be opened", new IOException("Too many open files"));
            }
            return name.equals("mayBeLinked") ? false : proceed.call();
        });
        disk.create(LEFT).close();
        try (ValueLog log = on(storage)) {
            log.reuse(LEFT);
            List<ValuePointer> pointers = new ArrayList<>();
            appendTo(log, pointers, 5);
            log.seal();
            assertThrows(NotOpenedException.class, log::write);
            assertFalse(disk.exists(LEFT));
            assertThrows(NotOpenedException.class, log::write);
            log.write();
            log.recovered();
            checkAll(log, pointers);
            assertEquals(0, log.waitingBytes());
        }
    }

    @Test
    void the_file_system_tells_of_links(@TempDir Path directory) throws IOException {
        Storage some = new RealStorage(directory.resolve("some"));
        Storage others = new RealStorage(directory.resolve("others"));
        some.create("file").close();
        assertFalse(some.mayBeLinked("file"));
        ForeignFile file = requireNonNull(some.foreign("file"));
        others.adopt(file, "adopted");
        assertTrue(some.mayBeLinked("file"));
        assertTrue(others.mayBeLinked("adopted"));
        Files.delete(directory.resolve("others").resolve("adopted"));
        assertFalse(some.mayBeLinked("file"));
    }
}
