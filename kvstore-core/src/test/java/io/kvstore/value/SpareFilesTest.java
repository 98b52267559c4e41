package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A spare file is one of no segment, whatever fails while it becomes the file of one. */
final class SpareFilesTest extends ValueLogFixture {

    private Set<String> failing = Set.of();

    private final Storage storage = HookedStorage.over(disk, (name, path, rest) -> {
        if (failing.contains(name)) {
            throw new IOException("for the test");
        }
        return rest.call();
    });

    private static String left(int number) {
        return LoneTable.DIRECTORY + "/" + ValueSegment.fileName(number);
    }

    private ValueLog withSpares(int count) throws IOException {
        ValueLog log = on(storage);
        for (int i = 0; i < count; i++) {
            disk.create(left(70 + i)).close();
            log.reuse(left(70 + i));
        }
        return log;
    }

    /** It has the name of the segment by then, so no other file can get it. */
    @Test
    void a_spare_file_that_could_not_be_opened_is_used_by_the_next_attempt() throws IOException {
        try (ValueLog log = withSpares(1)) {
            List<ValuePointer> pointers = List.of(append(log, 0));
            log.seal();
            failing = Set.of("open");
            assertThrows(IOException.class, log::write);
            failing = Set.of();
            log.write();
            log.recovered();
            checkAll(log, pointers);
        }
        assertEquals(0, disk.openResources());
    }

    /** The file of a segment was moved to the next one, and written over, or deleted. */
    @Test
    void a_file_that_could_not_be_written_or_deleted_is_that_of_its_own_segment() throws IOException {
        try (ValueLog log = withSpares(2)) {
            List<ValuePointer> pointers = new ArrayList<>();
            pointers.add(append(log, 0));
            log.seal();
            failing = Set.of("write", "writeUncached", "delete");
            assertThrows(IOException.class, log::write);
            failing = Set.of();
            log.write();
            checkAll(log, pointers);
            pointers.add(append(log, 1));
            log.seal();
            log.write();
            checkAll(log, pointers);
            log.recovered();
            for (ValuePointer pointer : pointers) {
                assertEquals(
                        1,
                        disk.list(LoneTable.DIRECTORY).stream()
                                .filter(ValueSegment.fileName(pointer.segment())::equals)
                                .count());
            }
            assertFalse(disk.exists(left(71)));
        }
        assertEquals(0, disk.openResources());
    }
}
