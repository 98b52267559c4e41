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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** A manifest with a right checksum, whatever its fields say, is damage with the name of the manifest. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "/", "/etc/passwd", "..", "../CATALOG", "wal/../../CATALOG", "a//b", "a/", "./a", "a\\b"})
    void a_path_that_leads_elsewhere_is_damage(String path) {
        Backup sound = backup();
        requireDamaged(with(sound, sound.packs(), List.of(path), sound.files()));
        requireDamaged(with(sound, sound.packs(), List.of(), List.of(new StoredFile(path, 0, List.of()))));
    }

    @Test
    void a_name_a_pack_or_a_part_that_cannot_be_is_damage() {
        Backup sound = backup();
        StoredFile.Part part = sound.files().getFirst().parts().getFirst();
        requireDamaged(with(sound, sound.packs(), List.of("a\0b"), List.of()));
        requireDamaged(with(sound, Map.of(-7L, 80L), List.of(), List.of()));
        requireDamaged(with(sound, Map.of(7L, -80L), List.of(), List.of()));
        for (StoredFile.Part wrong : List.of(
                new StoredFile.Part(part.hash(), 3, 8, 32),
                new StoredFile.Part(part.hash(), 3, 7, -1),
                new StoredFile.Part(part.hash(), 3, 7, 38),
                new StoredFile.Part(part.hash(), 3, 7, Long.MAX_VALUE))) {
            requireDamaged(with(sound, sound.packs(), List.of(), List.of(new StoredFile("a", 3, List.of(wrong)))));
        }
    }

    private static Backup with(Backup other, Map<Long, Long> packs, List<String> directories, List<StoredFile> files) {
        return new Backup(
                other.id(),
                other.storeIdHigh(),
                other.storeIdLow(),
                other.lsn(),
                other.wallMillis(),
                other.writtenBytes(),
                packs,
                directories,
                files);
    }

    private static void requireDamaged(Backup absurd) {
        assertThrows(CorruptionException.class, () -> Backup.read("m", absurd.toBytes()), absurd::toString);
    }
}
