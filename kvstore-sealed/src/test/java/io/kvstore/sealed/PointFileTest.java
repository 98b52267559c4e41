package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Duplicates;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.engine.TableFileSettings.Order;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.MemoryStorage;
import io.kvstore.io.Storage;
import io.kvstore.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Files of the layout POINT. */
final class PointFileTest {

    private static final String PATH = "table.sealed";
    private static final int MOST_ENTRY_BYTES = 60;
    private static final TableFileSettings POINT = TableFileSettings.USUAL.withLayout(Layout.POINT);

    private final SealedFiles files = new SealedFiles();
    private final Storage storage = new MemoryStorage(1L << 30);

    private TableFileInfo build(List<Map.Entry<byte[], byte[]>> given, TableFileSettings settings) throws IOException {
        try (TableFileWriter writer = files.create(storage, PATH, settings)) {
            for (Map.Entry<byte[], byte[]> entry : given) {
                writer.put(entry.getKey(), entry.getValue());
            }
            return writer.finish(Progress.NONE);
        }
    }

    private static byte[] bytes(Random random, int length, int letters) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (random.nextInt(letters) - letters / 2);
        }
        return bytes;
    }

    private static FileOracle oracle(Random random, int entries, int keyBytes, int valueBytes) {
        FileOracle oracle = new FileOracle();
        for (int i = 0; i < entries; i++) {
            oracle.entries.put(bytes(random, keyBytes, 1 + random.nextInt(256)), bytes(random, valueBytes, 256));
        }
        return oracle;
    }

    private void check(FileOracle oracle, Random random) throws IOException {
        try (TableFileReader file = files.open(storage, PATH)) {
            oracle.check(file, random);
        }
        try (TableFileReader file = files.open(SmallFiles.withoutMappings(storage), PATH)) {
            oracle.check(file, random);
        }
        assertEquals(List.of(PATH), storage.list(""));
        assertEquals(0, storage.openResources());
    }

    @Test
    void files_of_random_entries_answer_as_a_sorted_map() {
        Seeds.each(1, 12, seed -> {
            Random random = new Random(seed);
            int keyBytes = random.nextInt(MOST_ENTRY_BYTES + 1);
            int valueBytes = random.nextInt(MOST_ENTRY_BYTES - keyBytes + 1);
            FileOracle oracle = oracle(random, random.nextInt(1_500), keyBytes, valueBytes);
            List<Map.Entry<byte[], byte[]>> given = new ArrayList<>(oracle.entries.entrySet());
            build(given, POINT.withOrder(Order.ASCENDING));
            check(oracle, random);
            Collections.shuffle(given, random);
            TableFileInfo info = build(given, POINT.withSortMemoryBytes(1 << 20));
            check(oracle, random);
            assertEquals("POINT", info.layout());
            assertEquals(oracle.entries.size(), info.entries());
        });
    }

    /** Of more entries than a part of the hash has, which are sorted in several runs. */
    @Test
    void entries_in_any_order_and_the_last_value_of_a_key_wins() throws IOException {
        Random random = new Random(2);
        FileOracle oracle = new FileOracle();
        List<Map.Entry<byte[], byte[]>> given = new ArrayList<>();
        for (int i = 0; i < 110_000; i++) {
            byte[] key = i < 1_000 ? new byte[] {0, 0, (byte) (i >> 8), (byte) i} : bytes(random, 4, 20);
            Map.Entry<byte[], byte[]> entry = Map.entry(key, bytes(random, 8, 256));
            given.add(entry);
            oracle.entries.put(entry.getKey(), entry.getValue());
        }
        build(given, POINT.withSortMemoryBytes(1 << 20));
        assertTrue(oracle.entries.size() > 1 << 16);
        checkFew(oracle);
        InvalidRequestException refused = assertThrows(
                InvalidRequestException.class, () -> build(given, POINT.withDuplicates(Duplicates.REFUSED)));
        assertTrue(String.valueOf(refused.getMessage()).contains("was given twice"), refused::toString);
    }

    private void checkFew(FileOracle oracle) throws IOException {
        try (TableFileReader file = files.open(storage, PATH);
                EngineCursor cursor = file.scan(KeyRange.all())) {
            Findings findings = new Findings();
            file.verify(findings, Progress.NONE);
            assertEquals(List.of(), findings.kept());
            for (Map.Entry<byte[], byte[]> entry : oracle.entries.entrySet()) {
                assertTrue(cursor.next());
                assertArrayEquals(entry.getKey(), cursor.key());
                assertArrayEquals(entry.getValue(), cursor.value());
                assertArrayEquals(entry.getValue(), file.get(entry.getKey()));
            }
            assertFalse(cursor.next());
        }
    }

    @Test
    void few_entries() throws IOException {
        for (int entries = 0; entries < 70; entries += entries < 8 ? 1 : 3) {
            Random random = new Random(entries);
            FileOracle oracle = new FileOracle();
            for (int i = 0; i < entries; i++) {
                oracle.entries.put(new byte[] {(byte) (3 * i), 7}, new byte[] {(byte) i});
            }
            build(new ArrayList<>(oracle.entries.entrySet()), POINT);
            check(oracle, random);
        }
    }

    @Test
    void bytes_a_key() throws IOException {
        Random random = new Random(3);
        int entries = 100_000;
        FileOracle oracle = oracle(random, entries, 8, 8);
        long bytes = build(new ArrayList<>(oracle.entries.entrySet()), POINT).fileBytes();
        double each = (double) bytes / oracle.entries.size();
        assertTrue(each > 24 && each < 24.9, each + " bytes");
    }

    private void requireRefused(String message, TableFileSettings settings, int... lengths) throws IOException {
        InvalidRequestException refused = assertThrows(InvalidRequestException.class, () -> {
            try (TableFileWriter writer = files.create(storage, PATH, settings)) {
                for (int i = 0; i < lengths.length; i += 2) {
                    byte[] key = new byte[lengths[i]];
                    key[0] = (byte) i;
                    writer.put(key, new byte[lengths[i + 1]]);
                }
                writer.finish(Progress.NONE);
            }
        });
        assertEquals(message, refused.getMessage());
        assertEquals(List.of(), storage.list(""));
        assertEquals(0, storage.openResources());
    }

    @Test
    void entries_of_other_lengths_are_refused_with_what_can_be_done() throws IOException {
        String remedy = "; take the layout PERFECT or LINES, which have entries of any lengths";
        String other = " and those before it have 8 and 8, which the layout POINT has for all" + remedy;
        requireRefused("entry 2 has a key of 9 bytes and a value of 8," + other, POINT, 8, 8, 8, 8, 9, 8);
        requireRefused("entry 1 has a key of 8 bytes and a value of 7," + other, POINT, 8, 8, 8, 7);
        requireRefused(
                "entry 0 has a key of 30 bytes and a value of 31, and the layout POINT has at most 60 for both"
                        + remedy,
                POINT,
                30,
                31);
        requireRefused(
                "entry 1 has a key of 60 bytes and a value of 1, and those before it have 60 and 0, which the layout"
                        + " POINT has for all" + remedy,
                POINT,
                60,
                0,
                60,
                1);
    }

    @Test
    void a_codec_is_refused() {
        InvalidRequestException refused =
                assertThrows(InvalidRequestException.class, () -> POINT.withCodec("DEFLATE", 4 << 10));
        assertEquals(
                "the codec is DEFLATE, and entries of the layout POINT stand alone; take no codec, or another layout",
                refused.getMessage());
    }
}
