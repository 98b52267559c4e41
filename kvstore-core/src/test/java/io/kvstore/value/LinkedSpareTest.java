package io.kvstore.value;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.io.ForeignFile;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
