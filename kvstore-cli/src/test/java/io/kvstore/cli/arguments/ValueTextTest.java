package io.kvstore.cli.arguments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.cli.console.CommandFailure;
import java.io.ByteArrayInputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that come from files and from standard input. */
final class ValueTextTest {

    /** A table may take more than the 64 MiB of a usual one. */
    @Test
    void a_file_longer_than_a_usual_value_is_read(@TempDir Path temp) throws Exception {
        Path file = temp.resolve("value");
        int bytes = (64 << 20) + 1;
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(bytes);
        }
        assertEquals(bytes, new ValueText().ofFile(file).length);
    }

    @Test
    void what_no_table_takes_is_refused() throws Exception {
        assertEquals(3, ValueText.all(new ByteArrayInputStream(new byte[3]), "v", 3).length);
        CommandFailure refused =
                assertThrows(CommandFailure.class, () -> ValueText.all(new ByteArrayInputStream(new byte[4]), "v", 3));
        assertEquals(
                "v has more than 3 bytes, and no table takes a longer value; put parts of it under several keys",
                refused.getMessage());
    }
}
