package io.kvstore.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class HeldFileTest {

    @Test
    void a_reader_that_cannot_be_made_leaves_no_file_open() throws IOException {
        SimStorage disk = new SimStorage();
        disk.create("file").close();
        HeldFile held = HeldFile.of(disk, "file", 0, true, () -> {
            throw new OutOfMemoryError("for the test");
        });
        assertThrows(OutOfMemoryError.class, () -> held.source().open());
        assertEquals(0, disk.openResources());
    }
}
