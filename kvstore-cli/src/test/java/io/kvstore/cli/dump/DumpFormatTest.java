package io.kvstore.cli.dump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.Documents;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a dump: what is written is read, and nothing else is. */
final class DumpFormatTest {

    private static final int HEADER_BYTES = 16;

    private static final TableDefinition FIRST =
            new TableDefinition("demo", "a", "lsm", true, new TreeMap<>(Map.of("DURABILITY", "SYNC", "B", "")));
    private static final TableDefinition SECOND =
            new TableDefinition("demo", "b", "hash", false, new TreeMap<>(Map.of("X", "1")));
    private static final Contents CONTENTS = new Contents(List.of("demo", "empty"), List.of(FIRST, SECOND));

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] small(String codec) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DumpWriter writer = new DumpWriter(out, codec, 7, CONTENTS);
        writer.beginTable(0);
        writer.entry(bytes("k"), bytes(""));
        writer.entry(bytes("l"), bytes("value".repeat(20)));
        writer.beginTable(1);
        writer.entry(bytes(""), bytes("w"));
        writer.end();
        return out.toByteArray();
    }

    /** Reads all of it; returns how many entries there were. */
    private static int read(byte[] dump) throws IOException {
        int entries = 0;
        try (DumpReader reader = new DumpReader(new ByteArrayInputStream(dump), "d")) {
            while (reader.next()) {
                entries++;
            }
        }
        return entries;
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LZ4", "ZSTD"})
    void what_was_written_is_read(String codec) throws IOException {
        try (DumpReader reader = new DumpReader(new ByteArrayInputStream(small(codec)), "d")) {
            assertEquals(CONTENTS, reader.contents());
            assertTrue(reader.next());
            assertEquals(0, reader.table());
            assertArrayEquals(bytes("k"), reader.key());
            assertArrayEquals(bytes(""), reader.value());
            assertTrue(reader.next());
            assertArrayEquals(bytes("value".repeat(20)), reader.value());
            assertTrue(reader.next());
            assertEquals(1, reader.table());
            assertArrayEquals(bytes(""), reader.key());
            assertFalse(reader.next());
            assertFalse(reader.next());
        }
    }

    /** Entries at and about the lengths from which on they have a block, or several, of their own. */
    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LZ4"})
    void entries_of_any_length_are_read(String codec) throws IOException {
        int usual = DumpFormat.USUAL_BLOCK_BYTES - 31;
        int most = DumpFormat.MOST_BLOCK_BYTES;
        int[] lengths = {usual - 1, usual, usual + 1, most - 1, most, most + 1, 2 * most, 0, 100, 2 * most + 1};
        Random random = new Random(3);
        byte[] noise = new byte[2 * most + 1];
        random.nextBytes(noise);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DumpWriter writer = new DumpWriter(out, codec, 0, CONTENTS);
        writer.beginTable(0);
        for (int length : lengths) {
            writer.entry(new byte[] {1}, Arrays.copyOf(noise, length));
        }
        writer.beginTable(1);
        writer.entry(new byte[65_535], new byte[3 * most]);
        writer.end();
        try (DumpReader reader = new DumpReader(new ByteArrayInputStream(out.toByteArray()), "d")) {
            for (int length : lengths) {
                assertTrue(reader.next());
                assertArrayEquals(Arrays.copyOf(noise, length), reader.value());
            }
            assertTrue(reader.next());
            assertEquals(65_535, reader.key().length);
            assertArrayEquals(new byte[3 * most], reader.value());
            assertFalse(reader.next());
        }
    }

    @Test
    void many_definitions_take_several_blocks() throws IOException {
        List<TableDefinition> tables = IntStream.range(0, 5_000)
                .mapToObj(i -> new TableDefinition(
                        "demo", "t" + i, "lsm", true, new TreeMap<>(Map.of("OPTION", "v".repeat(100)))))
                .toList();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DumpWriter writer = new DumpWriter(out, "NONE", 0, new Contents(List.of("demo"), tables));
        writer.end();
        assertTrue(out.size() > 2 * DumpFormat.USUAL_BLOCK_BYTES);
        try (DumpReader reader = new DumpReader(new ByteArrayInputStream(out.toByteArray()), "d")) {
            assertEquals(tables, reader.contents().tables());
            assertFalse(reader.next());
        }
    }

    @Test
    void definitions_have_a_limit() throws IOException {
        byte[] dump = small("LZ4");
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        new DumpWriter(plain, "NONE", 7, CONTENTS).end();
        long none = new ByteWriter().u64(7).text("NONE").size();
        long definitions = plain.size() - HEADER_BYTES - 3L * DumpFormat.HEAD_BYTES - none - 3;
        for (long most : List.of(definitions, definitions + 1)) {
            try (DumpReader reader = new DumpReader(new ByteArrayInputStream(dump), "d", most)) {
                assertEquals(CONTENTS, reader.contents());
            }
        }
        CorruptionException e = assertThrows(
                CorruptionException.class, () -> new DumpReader(new ByteArrayInputStream(dump), "d", definitions - 1));
        assertTrue(
                String.valueOf(e.getMessage())
                        .endsWith("the definitions have more than " + (definitions - 1) + " bytes"),
                e::getMessage);
    }

    @Test
    void a_value_that_is_too_long_is_refused_at_its_head() throws IOException {
        int length = 3 * DumpFormat.MOST_BLOCK_BYTES;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DumpWriter writer = new DumpWriter(out, "NONE", 0, CONTENTS);
        writer.beginTable(0);
        writer.entry(bytes("k"), new byte[length]);
        byte[] head = Arrays.copyOf(out.toByteArray(), out.size() - length - 3 * DumpFormat.HEAD_BYTES);
        for (int most : List.of(length - 1, length, length + 1)) {
            try (DumpReader reader = new DumpReader(new ByteArrayInputStream(head), "d")) {
                reader.setMostValueBytes(most);
                RuntimeException e = assertThrows(RuntimeException.class, reader::next);
                boolean isRefused = String.valueOf(e.getMessage()).contains("takes at most " + most + ";");
                assertEquals(most < length, isRefused, e::getMessage);
            }
        }
    }

    @Test
    void a_table_of_a_directory_has_its_file_there() {
        Path directory = Path.of("dump");
        TreeMap<String, String> none = new TreeMap<>();
        assertEquals(
                Path.of("dump", "d", "t.ndjson"),
                NdjsonDirectory.fileOf(directory, new TableDefinition("d", "t", "lsm", true, none)));
        for (String name : List.of("../../t", "/t", "u/t", "../t")) {
            TableDefinition bad = new TableDefinition("d", name, "lsm", true, none);
            assertThrows(CommandFailure.class, () -> NdjsonDirectory.fileOf(directory, bad), name);
        }
        for (String name : List.of("..", ".", "/d", "d/e", "")) {
            TableDefinition bad = new TableDefinition(name, "t", "lsm", true, none);
            assertThrows(CommandFailure.class, () -> NdjsonDirectory.fileOf(directory, bad), name);
        }
    }

    @Test
    void a_table_is_defined_once() throws IOException {
        TableDefinition table = CONTENTS.tables().getFirst();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DumpWriter(out, "NONE", 0, new Contents(CONTENTS.databases(), List.of(table, table))).end();
        String message = message(out.toByteArray());
        assertTrue(message.endsWith(": " + table.name() + " is defined twice"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LZ4"})
    void each_flipped_bit_is_found(String codec) throws IOException {
        byte[] dump = small(codec);
        for (int bit = 0; bit < dump.length * Byte.SIZE; bit++) {
            byte[] damaged = dump.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            CorruptionException e =
                    assertThrows(CorruptionException.class, () -> read(damaged), "bit " + bit + " of " + dump.length);
            assertTrue(e.offset() >= 0 && e.offset() <= dump.length, e::getMessage);
        }
    }

    @Test
    void each_cut_is_found() throws IOException {
        byte[] dump = small("LZ4");
        for (int length = 0; length < dump.length; length++) {
            byte[] cut = Arrays.copyOf(dump, length);
            CorruptionException e = assertThrows(CorruptionException.class, () -> read(cut));
            if (length >= HEADER_BYTES) {
                assertEquals("d at offset " + length + ": the dump was cut off here", e.getMessage());
            }
        }
        assertThrows(CorruptionException.class, () -> read(Arrays.copyOf(dump, dump.length + 1)));
        assertEquals(3, read(dump));
    }

    @Test
    void blocks_that_change_places_are_found() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DumpWriter writer = new DumpWriter(out, "NONE", 0, CONTENTS);
        writer.beginTable(0);
        for (int i = 0; i < 2; i++) {
            writer.entry(bytes("key" + i), new byte[DumpFormat.USUAL_BLOCK_BYTES - 100]);
        }
        writer.end();
        byte[] dump = out.toByteArray();
        int second = dump.length - endBytes() - blockBytes();
        byte[] swapped = dump.clone();
        System.arraycopy(dump, second, swapped, second - blockBytes(), blockBytes());
        System.arraycopy(dump, second - blockBytes(), swapped, second, blockBytes());
        assertEquals(2, read(dump));
        assertThrows(CorruptionException.class, () -> read(swapped));
    }

    private static int blockBytes() {
        return DumpFormat.HEAD_BYTES + 1 + 1 + 4 + 3 + DumpFormat.USUAL_BLOCK_BYTES - 100;
    }

    private static int endBytes() {
        return DumpFormat.HEAD_BYTES + 3;
    }

    /** A head whose checksums hold, and whose lengths do not make sense. */
    private static byte[] crafted(int kind, int form, int plainLength, byte... bytes) {
        ByteWriter dump = new ByteWriter();
        DumpFormat.HEADER.write(dump, 0);
        ByteWriter head = new ByteWriter()
                .u8(kind)
                .u8(form)
                .u16(0)
                .u32(plainLength)
                .u32(bytes.length)
                .u32(Checksum.seeded(0, HEADER_BYTES, bytes, 0, bytes.length));
        head.u32(Checksum.seeded(0, HEADER_BYTES, head.toBuffer()));
        return dump.raw(head.toArray()).raw(bytes).toArray();
    }

    @Test
    void a_length_is_judged_before_memory_is_taken() {
        byte[] most = new byte[DumpFormat.MOST_BLOCK_BYTES];
        byte[] more = new byte[DumpFormat.MOST_BLOCK_BYTES + 1];
        assertTrue(message(crafted(1, 0, most.length, most)).contains("bytes too many"));
        for (byte[] senseless : List.of(
                crafted(1, 0, more.length, more),
                crafted(1, 0, Integer.MAX_VALUE, new byte[1]),
                crafted(1, 0, -1, new byte[1]),
                crafted(1, 1, Integer.MAX_VALUE, new byte[1]),
                crafted(1, 2, 1, new byte[1]))) {
            assertEquals("d at offset 16: the head of a block has no sense", message(senseless));
        }
        assertEquals(
                "d at offset 16: a block is of the kind 7, which is not known", message(crafted(7, 0, 1, new byte[1])));
        assertEquals("d at offset 16: the dump has no start", message(crafted(3, 0, 1, new byte[1])));
    }

    private static String message(byte[] dump) {
        return String.valueOf(
                assertThrows(CorruptionException.class, () -> read(dump)).getMessage());
    }

    @Test
    void the_document_has_the_numbers() throws IOException {
        String document = Documents.read("docs/dump-format.md");
        assertTrue(
                document.contains("magic `" + DumpFormat.HEADER.magic() + "`, version " + DumpFormat.HEADER.version()));
        for (DumpFormat.Kind kind : DumpFormat.Kind.values()) {
            String name = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            assertTrue(document.contains("| " + kind.number() + " | " + name + " |"), name);
        }
        assertTrue(document.contains("100,000") && DumpFormat.MOST_TABLES == 100_000);
        assertTrue(document.contains("at most 1 MiB") && DumpFormat.MOST_BLOCK_BYTES == 1 << 20);
    }
}
