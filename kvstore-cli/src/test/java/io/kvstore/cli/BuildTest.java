package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.TableFile;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds from lines of JSON, and what is refused. */
final class BuildTest {

    @TempDir
    private Path temp;

    private String out = "";

    @BeforeEach
    void name_the_file() {
        out = temp.resolve("out.sealed").toString();
    }

    private static Map<String, String> entries(String file) {
        Map<String, String> entries = new TreeMap<>();
        try (TableFile table = TableFile.open(Path.of(file));
                Stream<io.kvstore.data.Entry> all = table.stream(KeyRange.all())) {
            all.forEach(entry -> entries.put(new String(entry.key(), UTF_8), new String(entry.value(), UTF_8)));
        }
        return entries;
    }

    /** Requires that a build is refused, that an older file stays, and that nothing else is left. */
    private String refused(String input, String... options) throws IOException {
        CommandRun.with("{\"key\":\"old\",\"value\":\"1\"}", "build", out).good();
        byte[] before = Files.readAllBytes(Path.of(out));
        String[] arguments = Stream.concat(Stream.of("build", out, "-"), Arrays.stream(options))
                .toArray(String[]::new);
        String line = CommandRun.with(input, arguments).failed(ExitStatus.ERROR);
        assertArrayEquals(before, Files.readAllBytes(Path.of(out)));
        try (Stream<Path> files = Files.list(temp)) {
            assertEquals(List.of(Path.of(out)), files.toList());
        }
        assertTrue(line.startsWith("standard input, ") && line.endsWith("stays as it was)"), line);
        return line.substring("standard input, ".length());
    }

    @Test
    void rows_in_any_order_become_a_table() {
        String rows =
                "{\"key\":\"b\",\"value\":\"2\"}\n\n{\"value\":\"1\",\"key\":\"a\"}\r\n{\"key\":\"c\",\"value\":\"\"}";
        CommandRun run = CommandRun.with(rows, "build", out, "-");
        assertEquals("", run.good());
        assertTrue(run.errors().startsWith(out + ": 3 entries, "), run.errors());
        assertEquals(Map.of("a", "1", "b", "2", "c", ""), entries(out));
    }

    @Test
    void quiet_says_nothing() {
        CommandRun run = CommandRun.with("{\"key\":\"b\",\"value\":\"2\"}", "build", "--quiet", out);
        assertEquals("", run.good() + run.errors());
    }

    @Test
    void bytes_come_as_base64_and_hex() {
        String rows = "{\"key_hex\":\"6B6c\",\"value_b64\":\"_-8\"}\n{\"key_b64\":\"/+8=\",\"value_hex\":\"\"}\n";
        CommandRun.with(rows, "build", out).good();
        try (TableFile table = TableFile.open(Path.of(out))) {
            assertArrayEquals(new byte[] {(byte) 0xFF, (byte) 0xEF}, table.get("kl"));
            assertArrayEquals(new byte[0], table.get(new byte[] {(byte) 0xFF, (byte) 0xEF}));
            assertEquals(2, table.info().entries());
        }
    }

    @Test
    void other_fields_are_named() {
        String rows = "{\"sku\":\"61\",\"price\":\"MQ==\",\"tags\":[{\"x\":1}],\"end\":true}\n";
        CommandRun.with(
                        rows,
                        "build",
                        out,
                        "--key=sku",
                        "--value=price",
                        "--key-encoding=hex",
                        "--value-encoding=base64")
                .good();
        assertEquals(Map.of("a", "1"), entries(out));
    }

    @Test
    void an_export_ends_with_its_count() throws Exception {
        String two = "{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\",\"value\":\"2\"}\n";
        String whole =
                two + "{\"end\":true,\"count\":2}\n{\"key\":\"c\",\"value\":\"3\"}\n{\"end\":true,\"count\":1}\n";
        CommandRun.with(whole, "build", out).good();
        assertEquals(Map.of("a", "1", "b", "2", "c", "3"), entries(out));
        CommandRun.with("{\"end\":true,\"count\":0}", "build", out).good();
        assertEquals(Map.of(), entries(out));
        assertTrue(
                refused(two + "{\"end\":true,\"count\":1}").startsWith("line 3: the export ends here with 1 entries"));
        assertTrue(
                refused(two + "{\"end\":true,\"count\":3}").startsWith("line 3: the export ends here with 3 entries"));
        assertTrue(refused(two + "{\"end\":false,\"count\":2,\"error\":{\"code\":\"x\"}}")
                .startsWith("line 3: the export was not complete"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "nonsense | column 1: Unrecognized token",
                "{\"key\":\"a\",\"val | column ",
                "[\"a\"] | the line is no JSON object",
                "\"a\" | the line is no JSON object",
                "{\"key\":\"a\",\"value\":1} | value is a number; give a string",
                "{\"key\":null,\"value\":\"1\"} | key is null; give a string",
                "{\"key\":\"a\",\"value\":{\"x\":1}} | value is an object; give a string",
                "{\"key\":[\"a\"],\"value\":\"1\"} | key is an array; give a string",
                "{\"key\":true,\"value\":\"1\"} | key is a boolean; give a string",
                "{\"key\":\"a\"} | value is missing; give one of value, value_hex, value_b64",
                "{\"value\":\"a\"} | key is missing",
                "{} | key is missing",
                "{\"key_hex\":\"616\",\"value\":\"\"} | key_hex is not hexadecimal",
                "{\"key_hex\":\"6g\",\"value\":\"\"} | key_hex is not hexadecimal",
                "{\"key\":\"a\",\"value_b64\":\"a*\"} | value_b64 is not base64",
                "{\"key\":\"a\",\"value_b64\":\"a\"} | value_b64 is not base64",
                "{\"key\":\"a\",\"key_hex\":\"61\",\"value\":\"\"} | give one of key, key_hex, key_b64, not two",
                "{\"key\":\"a\",\"key\":\"b\",\"value\":\"\"} | column ",
                "{\"key\":\"\\ud800\",\"value\":\"\"} | key has half of a surrogate pair",
                "{\"key\":\"a\",\"value\":\"\",\"ttl\":5} | there is no field ttl in an entry",
                "{\"key\":\"a\",\"value\":\"\"}{} | something follows the JSON object",
                "{\"key\":\"a\",\"value\":\"\",\"end\":true} | the line has an entry and the end of an export",
            })
    void a_bad_row_is_named(String row, String message) throws Exception {
        String line = refused("{\"key\":\"first\",\"value\":\"\"}\n\n" + row + "\n{\"key\":\"z\",\"value\":\"\"}\n");
        assertTrue(line.startsWith("line 3: " + message.strip()), line);
    }

    @Test
    void text_that_is_not_utf8_is_refused() throws Exception {
        byte[] row = "{\"key\":\"??\",\"value\":\"\"}".getBytes(UTF_8);
        row[8] = (byte) 0xC0; // begins a form that is too long
        row[9] = (byte) 0x80;
        String line = CommandRun.with(row, "build", out).failed(ExitStatus.ERROR);
        assertTrue(line.contains("line 1: the line is not valid UTF-8"), line);
        byte[] utf16 = "\uFEFF{\"key\":\"a\",\"value\":\"\"}".getBytes(java.nio.charset.StandardCharsets.UTF_16LE);
        assertTrue(CommandRun.with(utf16, "build", out).failed(ExitStatus.ERROR).contains("UTF-16"));
    }

    @Test
    void a_byte_order_mark_is_skipped() {
        CommandRun.with("\uFEFF{\"key\":\"a\",\"value\":\"1\"}\r\n", "build", out)
                .good();
        assertEquals(Map.of("a", "1"), entries(out));
    }

    @Test
    void no_rows_are_no_table() throws Exception {
        for (String nothing : List.of("", "\n", "\uFEFF", " \r\n\t\n")) {
            assertTrue(refused(nothing).contains("there are no rows"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {65_534, 65_535, 65_536})
    void a_key_has_at_most_65535_bytes(int bytes) throws Exception {
        String row = "{\"key\":\"" + "k".repeat(bytes) + "\",\"value\":\"v\"}";
        if (bytes <= 65_535) {
            CommandRun.with(row, "build", out).good();
            assertEquals(Map.of("k".repeat(bytes), "v"), entries(out));
        } else {
            assertTrue(refused(row).startsWith("line 1: the key has 65536 bytes; a key has at most 65535"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void a_line_is_as_long_as_the_option_says(int more) throws Exception {
        for (int most : List.of(100, 65_536, 200_000)) {
            String row = "{\"key\":\"k\",\"value\":\"" + "v".repeat(most - 22 + more) + "\"}";
            assertEquals(most + more, row.length());
            String[] options = {"build", out, "--max-line=" + most};
            CommandRun run = CommandRun.with(row + "\n" + row, options);
            if (more <= 0) {
                run.good();
            } else {
                assertTrue(run.failed(ExitStatus.ERROR).contains("line 1: the line has more than " + most + " bytes"));
            }
        }
    }

    @Test
    void lines_of_all_lengths_around_the_buffer_are_read() {
        StringBuilder rows = new StringBuilder();
        for (int length = 65_400; length < 65_600; length += 7) {
            rows.append("{\"key\":\"")
                    .append(length)
                    .append("\",\"value\":\"")
                    .repeat('v', length)
                    .append("\"}\n");
        }
        CommandRun.with(rows.toString(), "build", out).good();
        entries(out).forEach((key, value) -> assertEquals(key, "" + value.length()));
        assertEquals(29, entries(out).size());
    }

    @Test
    void the_last_row_of_a_key_wins_or_the_file_is_refused() throws Exception {
        String rows =
                "{\"key\":\"b\",\"value\":\"1\"}\n{\"key\":\"a\",\"value\":\"2\"}\n{\"key\":\"b\",\"value\":\"3\"}\n";
        CommandRun run = CommandRun.with(rows, "build", out, "--duplicates=last");
        run.good();
        assertTrue(run.errors().contains("of 1 row the key came again later"), run.errors());
        assertEquals(Map.of("a", "2", "b", "3"), entries(out));
        assertTrue(refused(rows, "--duplicates", "refused").contains("key \"b\" was given twice"));
    }

    @Test
    void sorted_refuses_what_does_not_ascend() throws Exception {
        String rows = "{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"c\",\"value\":\"2\"}\n";
        CommandRun.with(rows, "build", out, "--sorted").good();
        assertEquals(Map.of("a", "1", "c", "2"), entries(out));
        String below = refused(rows + "{\"key\":\"b\",\"value\":\"\"}", "--sorted");
        assertTrue(below.startsWith("line 3: the key \"b\" is below the one before it, \"c\""), below);
        String same = refused(rows + "{\"key\":\"c\",\"value\":\"\"}", "--sorted", "--duplicates=last");
        assertTrue(same.startsWith("line 3: the key \"c\" is that of the row before"), same);
    }

    @Test
    void texts_are_kept_in_the_file() {
        CommandRun.with("{\"key\":\"a\",\"value\":\"\"}", "build", out, "--text", "source=a=b", "--text=day=monday")
                .good();
        try (TableFile table = TableFile.open(Path.of(out))) {
            assertEquals(Map.of("source", "a=b", "day", "monday"), table.info().texts());
        }
    }

    @Test
    void many_rows_are_sorted_in_little_memory() {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            int key = i * 7_919 % 20_011;
            rows.append("{\"key\":\"")
                    .append(key)
                    .append("\",\"value\":\"")
                    .repeat('v', 100)
                    .append("\"}\n");
        }
        CommandRun.with(rows.toString(), "build", out, "--sort-memory=1M").good();
        assertEquals(20_000, entries(out).size());
    }

    @Test
    void a_file_that_is_no_table_is_not_replaced_unasked() throws Exception {
        Path letter = Files.writeString(temp.resolve("letter.txt"), "Dear reader");
        String row = "{\"key\":\"a\",\"value\":\"1\"}";
        String line = CommandRun.with(row, "build", letter.toString()).failed(ExitStatus.CONDITION_FAILED);
        assertTrue(line.contains("is no table file") && line.contains("--force"), line);
        assertEquals("Dear reader", Files.readString(letter));
        CommandRun.with(row, "build", letter.toString(), "--force").good();
        assertEquals(Map.of("a", "1"), entries(letter.toString()));
        String directory = temp.toString();
        CommandRun.with(row, "build", directory, "--force").failed(ExitStatus.CONDITION_FAILED);
    }

    @Test
    void a_damaged_table_file_is_replaced() throws Exception {
        String row = "{\"key\":\"a\",\"value\":\"1\"}";
        CommandRun.with(row, "build", out).good();
        Files.write(Path.of(out), Arrays.copyOf(Files.readAllBytes(Path.of(out)), 100));
        CommandRun.with(row, "build", out).good();
        assertEquals(Map.of("a", "1"), entries(out));
    }

    @Test
    void a_link_stays_a_link() throws Exception {
        Path link = Files.createSymbolicLink(temp.resolve("link"), Path.of("out.sealed"));
        Files.createFile(Path.of(out));
        CommandRun.with("{\"key\":\"a\",\"value\":\"1\"}", "build", link.toString())
                .good();
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(Map.of("a", "1"), entries(out));
    }

    @Test
    void an_input_that_breaks_is_named() {
        for (String rows : List.of("ndjson {\"key\":\"a\",\"value\":\"1\"}\n", "csv key,value\na,1\n")) {
            int end = rows.indexOf(' ');
            String[] build = {"build", out, "-", "--format", rows.substring(0, end)};
            String line = CommandRun.run(
                            BrokenInput.behind(rows.substring(end + 1)), CommandRun.NONE, System::nanoTime, build)
                    .failed(ExitStatus.ERROR);
            assertEquals(
                    "standard input, the rows cannot be read: reading standard input failed: Input/output error"
                            + " (no file was made)",
                    line);
        }
        assertEquals(
                "reading standard input failed: Input/output error",
                CommandRun.run(BrokenInput.behind(""), CommandRun.NONE, System::nanoTime, "load", "--check")
                        .failed(ExitStatus.ERROR));
    }

    @Test
    void what_is_not_there_is_named() {
        String missing = temp.resolve("missing").toString();
        assertTrue(CommandRun.of("build", out, missing)
                .failed(ExitStatus.NOT_FOUND)
                .contains("missing is not there"));
        String nowhere = temp.resolve("no").resolve("where").toString();
        assertTrue(CommandRun.of("build", nowhere).failed(ExitStatus.NOT_FOUND).contains("the directory"));
        assertTrue(CommandRun.of("build", out, temp.toString())
                .failed(ExitStatus.ERROR)
                .contains("is a directory"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "OUT --format xml",
                "OUT --sort-memory lots",
                "OUT --sort-memory 1K",
                "OUT --sort-memory 900000G",
                "OUT --sort-memory 999999999999G",
                "OUT --block 1",
                "OUT --max-line 0",
                "OUT --max-line 2001M",
                "OUT --codec NOSUCH",
                "OUT --duplicates first",
                "OUT --key x --value x",
                "OUT --text novalue",
                "OUT - stray",
                "OUT --no-such-option",
            })
    void a_bad_option_is_named(String options) {
        String[] arguments = ("build " + options).replace("OUT", out).strip().split(" ", -1);
        CommandRun.of(arguments).failed(ExitStatus.USAGE);
        assertTrue(Files.notExists(Path.of(out)));
    }
}
