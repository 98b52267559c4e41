package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
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
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import io.kvstore.testkit.Seeds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SealedFileTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String PATH = "table.sealed";

    private final SealedFiles files = new SealedFiles();

    @TempDir
    private Path directory;

    @Test
    void files_of_random_entries_answer_as_a_sorted_map() throws IOException {
        Storage storage = new RealStorage(directory);
        Seeds.each(1, 60, seed -> {
            Random random = new Random(seed);
            FileOracle oracle = new FileOracle();
            int entries = random.nextInt(10) == 0 ? random.nextInt(3) : random.nextInt(1_500);
            for (int i = 0; i < entries; i++) {
                oracle.entries.put(FileOracle.key(random), FileOracle.value(random));
            }
            try (TableFileWriter writer =
                    files.create(storage, PATH, settings(random).withOrder(Order.ASCENDING))) {
                for (Map.Entry<byte[], byte[]> entry : oracle.entries.entrySet()) {
                    writer.put(entry.getKey(), entry.getValue());
                }
                writer.finish(Progress.NONE);
            }
            try (TableFileReader file = files.open(storage, PATH)) {
                oracle.check(file, random);
            }
            try (TableFileReader file = files.open(SmallFiles.withoutMappings(storage), PATH)) {
                assertEquals(0, file.mappedBytes());
                oracle.check(file, random);
            }
            assertEquals(List.of(PATH), storage.list(""));
        });
        assertEquals(0, storage.openResources());
    }

    /** Without a codec, or with blocks of one record or many. */
    private static TableFileSettings settings(Random random) {
        TableFileSettings settings =
                TableFileSettings.USUAL.withLayout(random.nextBoolean() ? Layout.LINES : Layout.PERFECT);
        return random.nextBoolean() ? settings : settings.withCodec("DEFLATE", 512 << random.nextInt(8));
    }

    /** The heads of fences that are written while keys have more bytes in common are put right in the end. */
    @Test
    void keys_that_have_fewer_and_fewer_bytes_in_common() throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        Random random = new Random(2);
        for (int shrink = 0; shrink < 24; shrink++) {
            FileOracle oracle = new FileOracle();
            for (int common : new int[] {24, 24 - shrink / 2, 24 - shrink}) {
                for (int i = 0; i < 300; i++) {
                    byte[] key = new byte[32];
                    Arrays.fill(key, 0, common, (byte) 'p');
                    byte[] tail = new byte[8];
                    random.nextBytes(tail);
                    System.arraycopy(tail, 0, key, 24, 8);
                    Arrays.fill(key, common, 24, (byte) ('q' + random.nextInt(3)));
                    oracle.entries.put(key, new byte[100]);
                }
            }
            try (TableFileWriter writer = files.create(storage, PATH, TableFileSettings.USUAL)) {
                for (Map.Entry<byte[], byte[]> entry : oracle.entries.entrySet()) {
                    writer.put(entry.getKey(), entry.getValue());
                }
                writer.finish(Progress.NONE);
            }
            try (TableFileReader file = files.open(storage, PATH)) {
                oracle.check(file, random);
                long below = 0;
                for (byte[] key : oracle.entries.keySet()) {
                    assertEquals(below++, file.count(KeyRange.all().to(key, false)));
                }
            }
        }
    }

    /** With the least memory for sorting there are several runs. */
    @Test
    void entries_in_any_order_are_sorted_and_the_last_value_of_a_key_wins() throws IOException {
        Storage storage = new RealStorage(directory);
        Seeds.each(1, 12, seed -> {
            Random random = new Random(seed);
            FileOracle oracle = new FileOracle();
            TableFileSettings settings = settings(random).withSortMemoryBytes(1 << 20);
            try (TableFileWriter writer = files.create(storage, PATH, settings)) {
                int entries = random.nextInt(40_000);
                int ascending = random.nextInt(3) * 300;
                for (int i = 0; i < entries; i++) {
                    byte[] key = i < ascending
                            ? String.format(Locale.ROOT, "%06d", i).getBytes(StandardCharsets.US_ASCII)
                            : FileOracle.key(random);
                    byte[] value = FileOracle.value(random);
                    writer.put(key, value);
                    oracle.entries.put(key, value);
                }
                assertEquals(entries, writer.entries());
                writer.finish(Progress.NONE);
            }
            try (TableFileReader file = files.open(storage, PATH)) {
                oracle.check(file, random);
            }
            assertEquals(List.of(PATH), storage.list(""));
        });
    }

    @Test
    void keys_and_values_of_all_lengths_that_are_allowed() throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        byte[] longest = new byte[KeyOrder.MAX_KEY_BYTES];
        try (TableFileWriter writer = files.create(storage, PATH, TableFileSettings.USUAL)) {
            writer.put(new byte[0], new byte[0]);
            for (int length = 1; length <= KeyOrder.MAX_KEY_BYTES; length += length < 300 ? 1 : 1_087) {
                writer.put(new byte[length], new byte[length % 300]);
            }
            writer.put(longest, new byte[1]);
            InvalidRequestException refused = assertThrows(
                    InvalidRequestException.class, () -> writer.put(new byte[longest.length + 1], new byte[0]));
            assertTrue(String.valueOf(refused.getMessage()).endsWith("has 65536 bytes; a key has at most 65535"));
            writer.finish(Progress.NONE);
        }
        try (TableFileReader file = files.open(storage, PATH)) {
            assertArrayEquals(new byte[0], file.get(new byte[0]));
            assertArrayEquals(new byte[299], file.get(new byte[299]));
            assertArrayEquals(new byte[1], file.get(longest));
            assertNull(file.get(new byte[301]));
            assertEquals(KeyOrder.MAX_KEY_BYTES, file.info().longestKeyBytes());
        }
    }

    @Test
    void keys_that_do_not_ascend_or_come_twice_are_refused_where_that_was_asked_for() throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        TableFileSettings ascending = TableFileSettings.USUAL.withOrder(Order.ASCENDING);
        assertEquals(
                "entry 1 has the key \"a\", which is below \"b\"; keys must ascend, or the order must be ANY",
                refusal(storage, ascending, "b", "a"));
        assertEquals(
                "entry 1 has the key \"a\", which was given before; keys must ascend, or the order must be ANY",
                refusal(storage, ascending, "a", "a"));
        TableFileSettings once = TableFileSettings.USUAL.withDuplicates(Duplicates.REFUSED);
        String twice = "key \"a\" was given twice, and duplicates are REFUSED; give it once, or let the last one win";
        assertEquals(twice, refusal(storage, once, "a", "a"));
        assertEquals(twice, refusal(storage, once, "a", "b", "a"));
        assertEquals(twice, refusal(storage, once, "b", "a", "c", "a"));
        assertEquals(List.of(), storage.list(""));
    }

    private String refusal(Storage storage, TableFileSettings settings, String... keys) throws IOException {
        try (TableFileWriter writer = files.create(storage, PATH, settings)) {
            InvalidRequestException refused = assertThrows(InvalidRequestException.class, () -> {
                for (String key : keys) {
                    writer.put(key.getBytes(StandardCharsets.US_ASCII), new byte[0]);
                }
                writer.finish(Progress.NONE);
            });
            assertThrows(InvalidRequestException.class, () -> writer.put(new byte[] {'z'}, new byte[0]));
            assertThrows(InvalidRequestException.class, () -> writer.finish(Progress.NONE));
            return String.valueOf(refused.getMessage());
        }
    }

    @Test
    void a_file_says_what_it_is() throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        TableFileInfo first = build(storage, 100);
        TableFileInfo second = build(storage, 100);
        assertNotEquals(first.id(), second.id());
        try (TableFileReader file = files.open(storage, PATH)) {
            TableFileInfo info = file.info();
            assertEquals(second.id(), info.id());
            assertEquals(100, info.entries());
            assertEquals(storage.size(PATH), info.fileBytes());
            assertEquals(Map.of("source", "orders of May"), info.texts());
            assertEquals(600, info.keyBytes());
            assertEquals("000000", new String(info.firstKey(), StandardCharsets.US_ASCII));
            assertEquals("000099", new String(info.lastKey(), StandardCharsets.US_ASCII));
        }
    }

    @Test
    void a_caller_that_changes_the_keys_of_the_properties_changes_no_answer() throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        build(storage, 100);
        try (TableFileReader file = files.open(storage, PATH)) {
            Arrays.fill(file.info().firstKey(), (byte) 'z');
            Arrays.fill(file.info().lastKey(), (byte) 'z');
            byte[] middle = "000050".getBytes(StandardCharsets.US_ASCII);
            assertEquals(50, file.count(KeyRange.all().from(middle, true)));
            assertEquals(50, file.count(KeyRange.all().to(middle, false)));
        }
    }

    private TableFileInfo build(Storage storage, int entries) throws IOException {
        TableFileSettings settings = TableFileSettings.USUAL.withTexts(Map.of("source", "orders of May"));
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(1));
        try (TableFileWriter writer = files.create(storage, PATH, settings)) {
            for (int number : numbers) {
                byte[] key = String.format(Locale.ROOT, "%06d", number).getBytes(StandardCharsets.US_ASCII);
                writer.put(key, key);
            }
            return writer.finish(Progress.NONE);
        }
    }

    /** Two builds of one name do not meet, and what a process left that died goes with the next one. */
    @Test
    void builds_of_one_name_side_by_side_and_after_a_dead_one() throws IOException {
        Storage storage = new RealStorage(directory);
        storage.create(PATH + ".0123456789abcdef.tmp").close();
        storage.create(PATH + ".0123456789abcdef-direct.tmp").close();
        storage.create(PATH + ".other.tmp").close();
        try (TableFileWriter one = files.create(storage, PATH, TableFileSettings.USUAL)) {
            one.put(new byte[] {1}, new byte[0]);
            try (TableFileWriter other = files.create(storage, PATH, TableFileSettings.USUAL)) {
                other.put(new byte[] {2}, new byte[0]);
                other.finish(Progress.NONE);
            }
            one.finish(Progress.NONE);
        }
        assertEquals(List.of(PATH, PATH + ".other.tmp"), storage.list(""));
        try (TableFileReader file = files.open(storage, PATH)) {
            assertTrue(file.contains(new byte[] {1}));
        }
        assertEquals(0, storage.openResources());
    }

    /** A part of 1 MiB is checked by its first reader, and after a swap many threads are that at once. */
    @Test
    void first_reads_take_little_of_the_heap() throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        SmallFiles entries = SmallFiles.of(7, 60_000, 100, true);
        entries.build(storage);
        long taken = 0;
        for (int opened = 0; opened < 2; opened++) { // the first time classes are loaded, too
            try (TableFileReader file = SmallFiles.open(storage)) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 20; i++) {
                    assertTrue(file.contains(SmallFiles.key(2 * i)));
                }
                taken = THREADS.getCurrentThreadAllocatedBytes() - before;
            }
        }
        assertTrue(taken < 512 << 10, taken + " bytes");
    }

    @Test
    void a_build_that_is_stopped_leaves_the_old_file() throws IOException {
        Storage storage = new MemoryStorage(1L << 30);
        TableFileInfo old = build(storage, 10);
        try (TableFileWriter writer = files.create(storage, PATH, TableFileSettings.USUAL)) {
            for (int i = 20_000; i > 0; i--) {
                writer.put(String.format(Locale.ROOT, "%06d", i).getBytes(StandardCharsets.US_ASCII), new byte[0]);
            }
            assertThrows(InvalidRequestException.class, () -> writer.finish((done, all) -> false));
        }
        try (TableFileWriter writer = files.create(storage, PATH, TableFileSettings.USUAL)) {
            writer.put(new byte[] {1}, new byte[0]);
            assertThrows(InvalidRequestException.class, () -> writer.finish((done, all) -> done < 1));
        }
        try (TableFileReader file = files.open(storage, PATH)) {
            assertEquals(old.id(), file.info().id());
        }
        assertEquals(List.of(PATH), storage.list(""));
    }
}
