package io.kvstore.backup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.testkit.Documents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes of a repository, as their document has them. */
final class BackupFormatTest {

    private static Backup backup() {
        PartHash hash = PartHash.of(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        StoredFile.Part part = new StoredFile.Part(hash, 3, 7, 32);
        return new Backup(
                4,
                5,
                6,
                1_000,
                1_800_000_000_000L,
                99,
                Map.of(7L, 80L),
                List.of("wal", "tables"),
                List.of(new StoredFile("CATALOG", 3, List.of(part)), new StoredFile("tables/1/EMPTY", 0, List.of())));
    }

    @Test
    void formats_are_documented() throws IOException {
        String text = Documents.read("docs/backup-format.md").replace('\n', ' ');
        for (FileHeader header : List.of(Repository.HEADER, Backup.HEADER, Pack.HEADER)) {
            String expected = "magic `" + header.magic() + "`, version " + header.version();
            assertTrue(text.contains(expected), expected);
        }
        assertTrue(text.contains("A part has 1 MiB"));
        assertEquals(1 << 20, StoredFile.PART_BYTES);
        assertTrue(Documents.read("docs/file-formats.md").contains("(backup-format.md)"));
    }

    @Test
    void a_manifest_reads_as_it_was_written() {
        byte[] bytes = backup().toBytes();
        assertEquals(backup(), Backup.read("m", bytes));
        assertArrayEquals(bytes, Backup.read("m", bytes).toBytes());
    }

    @Test
    void every_damaged_byte_of_a_manifest_is_found() {
        byte[] bytes = backup().toBytes();
        for (int at = 0; at < bytes.length; at++) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assertThrows(KVStoreException.class, () -> Backup.read("m", damaged), "at " + at);
            byte[] cut = Arrays.copyOf(bytes, at);
            assertThrows(CorruptionException.class, () -> Backup.read("m", cut), "cut at " + at);
        }
    }
}
