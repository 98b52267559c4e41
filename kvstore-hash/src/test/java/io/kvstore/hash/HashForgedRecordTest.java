package io.kvstore.hash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.data.KeyRange;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.DamagedCopies;
import io.kvstore.testkit.DamagedCopies.Salvaged;
import io.kvstore.value.segment.ValueSegmentFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A record whose checksum is right and whose head is wrong. The index leads to it. No read hides it: a key that was there is
 * never absent without an error, and a salvage that does not have it says so.
 */
final class HashForgedRecordTest {

    private static final int KEYS = 50;
    private static final String FORGED = key(20);
    private static final Set<String> ALL =
            IntStream.range(0, KEYS).mapToObj(HashForgedRecordTest::key).collect(Collectors.toUnmodifiableSet());
    private static final int VALUE_LENGTH_AT = 4;
    private static final int LSN_AT = 8;
    private static final int KEY_LENGTH_AT = 16;
    private static final int KIND_AT = 18;

    @TempDir
    Path temp;

    private DamagedCopies copies;

    private static String key(int number) {
        return "key-" + (100 + number);
    }

    private static byte[] value(String key) {
        return ("the value of " + key).getBytes(UTF_8);
    }

    @BeforeEach
    void make() {
        copies = new DamagedCopies(temp, "HASH");
        try (KVStore store = new KVStore(copies.sound(), DamagedCopies.options())) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "HASH");
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), value(key(i)));
            }
        }
    }

    @Test
    void a_record_newer_than_all_operations_is_an_error_and_is_salvaged_with_a_warning() throws IOException {
        for (long lsn : new long[] {1_000, 1L << 40, Long.MAX_VALUE}) {
            Path forged = forge(record -> record.putLong(LSN_AT, lsn));
            requireNoLie(forged);
            Salvaged salvaged = copies.salvage(forged);
            assertArrayEquals(value(FORGED), salvaged.entries().get(FORGED), salvaged::losses);
            assertEquals(KEYS, salvaged.entries().size(), salvaged::losses);
            assertTrue(salvaged.losses().contains("key \"" + FORGED + "\" has an lsn that no operation had, " + lsn));
        }
    }

    @Test
    void a_record_of_another_key_is_an_error_and_no_entry() throws IOException {
        for (short keyLength : new short[] {0, 6, 20}) {
            int more = keyLength - FORGED.length();
            requireLost(forge(record -> record.putShort(KEY_LENGTH_AT, keyLength)
                    .putInt(VALUE_LENGTH_AT, record.getInt(VALUE_LENGTH_AT) - more)));
        }
    }

    @Test
    void padding_is_no_entry() throws IOException {
        requireLost(forge(record -> record.putShort(KIND_AT, (short) 2)));
    }

    /** Its checksum is right, and the index has no lengths. */
    @Test
    void a_value_that_is_too_short_is_named_by_a_check() throws IOException {
        Path forged = forge(record -> record.putInt(VALUE_LENGTH_AT, record.getInt(VALUE_LENGTH_AT) - 5));
        try (KVStore store = new KVStore(forged, DamagedCopies.options().withReadOnly(true))) {
            String found = store.table("db", "t").verify().kept().toString();
            assertTrue(found.contains("bytes of its records as alive"), found);
        }
        assertEquals(ALL, copies.salvage(forged).entries().keySet());
    }

    private void requireLost(Path forged) throws IOException {
        requireNoLie(forged);
        Salvaged salvaged = copies.salvage(forged);
        assertFalse(salvaged.report().isWhole());
        Set<String> others = new TreeSet<>(ALL);
        others.remove(FORGED);
        assertEquals(others, salvaged.entries().keySet(), salvaged::losses);
        assertTrue(salvaged.losses().contains(".val"), salvaged::losses);
    }

    private static void requireNoLie(Path forged) {
        try (KVStore store = new KVStore(forged, DamagedCopies.options().withReadOnly(true))) {
            Table table = store.table("db", "t");
            for (int i = 0; i < KEYS; i++) {
                String key = key(i);
                if (key.equals(FORGED)) {
                    assertThrows(CorruptionException.class, () -> table.get(key));
                    requireThereOrError(table);
                } else {
                    assertArrayEquals(value(key), table.get(key));
                    assertTrue(table.contains(key));
                }
            }
            assertFalse(isScanned(table, KeyRange.all()));
            boolean _ = isScanned(table, KeyRange.all().withoutValues());
            assertFalse(table.verify().kept().isEmpty());
        }
    }

    /** What only looks for keys may not notice. */
    private static void requireThereOrError(Table table) {
        try {
            assertTrue(table.contains(FORGED));
        } catch (CorruptionException e) {
            assertTrue(String.valueOf(e.getMessage()).contains(".val"), e::getMessage);
        }
    }

    /** Whether all keys were met, and no others; else an error was thrown. */
    private static boolean isScanned(Table table, KeyRange range) {
        Set<String> met = new TreeSet<>();
        try (Cursor cursor = table.scan(range)) {
            while (cursor.next()) {
                met.add(new String(cursor.key(), UTF_8));
            }
        } catch (CorruptionException e) {
            assertTrue(ALL.containsAll(met), () -> met + " were met");
            return false;
        }
        assertEquals(ALL, met);
        return true;
    }

    /** A copy in which the head of the record was changed before its checksum was computed. */
    private Path forge(Consumer<ByteBuffer> change) throws IOException {
        Path copy = copies.damaged();
        Path segment;
        try (Stream<Path> files = Files.list(copy.resolve("tables").resolve("0000000001"))) {
            List<Path> found =
                    files.filter(path -> path.toString().endsWith(".val")).toList();
            assertEquals(1, found.size());
            segment = found.getFirst();
        }
        byte[] all = Files.readAllBytes(segment);
        ByteBuffer file = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
        int tagAt = FileHeader.BYTES;
        long seed = ValueSegmentFormat.seed(file.getInt(tagAt), file.getLong(tagAt + Integer.BYTES));
        int at = ValueSegmentFormat.HEADER_BYTES;
        while (!isForgedKey(file, at)) {
            at += recordBytes(file, at);
        }
        change.accept(file.slice(at, recordBytes(file, at)).order(ByteOrder.LITTLE_ENDIAN));
        int bytes = recordBytes(file, at);
        file.putInt(at, Checksum.seeded(seed, at, all, at + Integer.BYTES, bytes - Integer.BYTES));
        Files.write(segment, all);
        return copy;
    }

    private static boolean isForgedKey(ByteBuffer file, int at) {
        byte[] key = new byte[file.getShort(at + KEY_LENGTH_AT)];
        file.get(at + ValueSegmentFormat.RECORD_HEAD_BYTES, key);
        return FORGED.equals(new String(key, UTF_8));
    }

    private static int recordBytes(ByteBuffer file, int at) {
        int keyLength = file.getShort(at + KEY_LENGTH_AT) & 0xFFFF;
        return (int) ValueSegmentFormat.recordBytes(keyLength, file.getInt(at + VALUE_LENGTH_AT));
    }
}
