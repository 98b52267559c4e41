package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands for keys and values, on a server and in a directory. */
@ParameterizedClass
@ValueSource(strings = {TestTarget.SERVER, TestTarget.DIRECTORY})
final class DataCommandsTest {

    private static final byte[] BINARY = {(byte) 0xFF, 0, '\n', 'x', '\t'};
    private static final String BINARY_HEX = "ff000a7809";

    @Parameter
    private String kind = "";

    @TempDir
    private Path temp;

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestTarget target;

    @BeforeEach
    void make_a_table() {
        target = TestTarget.of(kind, temp, "bplus");
    }

    @Test
    void a_value_comes_back_byte_for_byte() {
        assertEquals("", target.run("put", "a", "one two").good());
        CommandRun got = target.run("get", "a");
        assertEquals("one two", got.good());
        assertEquals("", got.errors());
        assertEquals("", target.with(BINARY, "put", "b", "-").good());
        assertArrayEquals(BINARY, target.run("get", "b").output());
        target.run("put", "--key-encoding=hex", BINARY_HEX, "--value-encoding=base64", "_wAKeAk")
                .good();
        assertArrayEquals(
                BINARY,
                target.run("get", "--key-encoding=escaped", "\\xff\\x00\\nx\\t").output());
        target.run("put", "", "").good();
        assertEquals("", target.run("get", "").good());
    }

    @Test
    void a_value_comes_from_a_file_or_standard_input() throws IOException {
        Path file = Files.write(temp.resolve("value"), BINARY);
        target.run("put", "f", "--file", file.toString()).good();
        assertArrayEquals(BINARY, target.run("get", "f").output());
        target.with("ff00\n", "put", "h", "-", "--value-encoding", "hex").good();
        assertEquals("ff00\n", target.run("get", "h", "--output", "hex").good());
        target.run("put", "--value-encoding=hex", "dash", "2d").good();
        assertEquals("-", target.run("get", "dash").good());
        assertTrue(target.run("put", "k").failed(ExitStatus.USAGE).contains("give the value as VALUE"));
        target.run("put", "k", "v", "-F", file.toString()).failed(ExitStatus.USAGE);
        target.run("put", "k", "-F", temp.resolve("no").toString()).failed(ExitStatus.NOT_FOUND);
        target.run("put", "k", "-F", temp.toString()).failed(ExitStatus.ERROR);
        assertEquals("false\n", target.run("exists", "k").text());
    }

    @Test
    void a_value_with_escapes_has_each_byte_but_the_newline_at_its_end() {
        for (String end : List.of("", "\n", "\r\n")) {
            target.with("\\xff \t" + end, "put", "e", "-", "--value-encoding=escaped")
                    .good();
            assertEquals("ff2009\n", target.run("get", "e", "--output=hex").good());
        }
        target.with("\n\n", "put", "e", "-", "--value-encoding=escaped").good();
        assertEquals("0a\n", target.run("get", "e", "--output=hex").good());
        String line =
                target.with(BINARY, "put", "e", "-", "--value-encoding=escaped").failed(ExitStatus.USAGE);
        assertEquals(
                "standard input is not UTF-8, which --value-encoding reads; leave that out for bytes as they are",
                line);
        assertEquals("0a\n", target.run("get", "e", "--output=hex").good());
    }

    @Test
    void get_has_four_forms() {
        target.with(BINARY, "put", "a\tb", "-").good();
        assertArrayEquals(BINARY, target.run("get", "a\tb").output());
        assertEquals(
                BINARY_HEX + "\n", target.run("get", "a\tb", "--output=hex").good());
        assertEquals(
                "\\xff\\x00\\nx\\t\n",
                target.run("get", "a\tb", "--output=table").good());
        assertEquals(
                "{\"key\":\"a\\tb\",\"value_b64\":\"_wAKeAk\"}\n",
                target.run("get", "a\tb", "--output=JSON").good());
        Streams terminal =
                new Streams(InputStream.nullInputStream(), new Terminals(false, true, false), System::nanoTime);
        target.run("put", "t", "v").good();
        assertEquals(
                "v\n", CommandRun.in(target.environment(), terminal, "get", "t").good());
    }

    @Test
    void what_is_missing_is_named_with_status_3() {
        assertEquals(
                target.table() + " has no key \"x\\xff\"",
                target.run("get", "--key-encoding=hex", "78ff").failed(ExitStatus.NOT_FOUND));
        assertTrue(target.run("del", "x").failed(ExitStatus.NOT_FOUND).contains("has no key \"x\""));
        CommandRun exists = target.run("exists", "x");
        assertEquals("false\n", exists.text());
        assertEquals("", exists.errors());
        assertEquals(ExitStatus.NOT_FOUND, exists.status());
        for (String command : List.of("get x", "put x y", "del x", "exists x", "scan", "count", "add x")) {
            String[] arguments = (command + " -t " + target.database() + "/none").split(" ", -1);
            assertTrue(target.run(arguments).failed(ExitStatus.NOT_FOUND).contains("none"), command);
        }
        target.run("get", "x", "-t", "nodb/none").failed(ExitStatus.NOT_FOUND);
    }

    @Test
    void del_removes_and_exists_tells() {
        target.run("put", "k", "v").good();
        assertEquals("true\n", target.run("exists", "k").good());
        if (kind.equals(TestTarget.DIRECTORY)) { // the server of these tests has no log
            target.run("put", "k", "w", "--durability=buffered").good();
            target.run("put", "k", "x", "--durability=sync").good();
        }
        assertEquals("", target.run("del", "k").good());
        assertEquals("false\n", target.run("exists", "k").text());
    }

    @Test
    void add_counts_in_64_bits() {
        assertEquals("1\n", target.run("add", "n").good());
        assertEquals("-4\n", target.run("add", "n", "--", "-5").good());
        assertEquals("-9\n", target.run("add", "n", "-5").good());
        target.run("put", "n", Long.toString(Long.MAX_VALUE - 1)).good();
        assertEquals(Long.MAX_VALUE + "\n", target.run("add", "n", "1").good());
        target.run("add", "n", "1").failed(ExitStatus.USAGE);
        assertEquals(Long.toString(Long.MAX_VALUE), target.run("get", "n").good());
        assertTrue(target.run("add", "n", "9223372036854775808")
                .failed(ExitStatus.USAGE)
                .contains("DELTA is"));
        target.run("add", "n", "1.5").failed(ExitStatus.USAGE);
        target.run("put", "n", "seven").good();
        target.run("add", "n").failed(ExitStatus.USAGE);
    }

    @Test
    void cas_sets_only_if_the_condition_holds() {
        target.run("cas", "k", "1", "--present").failed(ExitStatus.CONDITION_FAILED);
        assertEquals("", target.run("cas", "k", "1", "--absent").good());
        assertTrue(target.run("cas", "k", "2", "--absent")
                .failed(ExitStatus.CONDITION_FAILED)
                .endsWith("has a value; nothing has changed"));
        assertTrue(target.run("cas", "k", "2", "--expect", "x")
                .failed(ExitStatus.CONDITION_FAILED)
                .contains("does not have what was expected"));
        assertEquals("1", target.run("get", "k").good());
        target.run("cas", "k", "2", "--expect=1").good();
        target.run("cas", "k", "3", "--present").good();
        target.run("cas", "k", "4", "--expect", "33", "--value-encoding=hex").failed(ExitStatus.USAGE);
        target.run("cas", "k", "34", "--expect", "33", "--value-encoding=hex").good();
        assertEquals("4", target.run("get", "k").good());
        target.run("cas", "k", "5").failed(ExitStatus.USAGE);
        target.run("cas", "k", "5", "--absent", "--present").failed(ExitStatus.USAGE);
    }

    private void fill() {
        target.run("put", "apple", "red").good();
        target.run("put", "apricot", "orange").good();
        target.with(BINARY, "put", "b\n", "-").good();
    }

    @Test
    void scan_has_four_forms() {
        fill();
        assertEquals("""
                apple    red
                apricot  orange
                b\\n      \\xff\\x00\\nx\\t
                """, target.run("scan").good());
        assertEquals("""
                {"key":"apple","value":"red"}
                {"key":"apricot","value":"orange"}
                {"key":"b\\n","value_b64":"_wAKeAk"}
                """, target.run("scan", "--output=json").good());
        assertEquals(
                "6170706c65\t726564\n",
                target.run("scan", "apple", "--output=hex").good());
        assertEquals("apple\tred\n", target.run("scan", "apple", "--output=raw").good());
        assertEquals("apple\napricot\nb\\n\n", target.run("scan", "--keys-only").good());
        assertEquals(
                "{\"key\":\"apple\"}\n",
                target.run("scan", "--keys-only", "--output=json", "--limit=1").good());
        assertEquals("", target.run("scan", "x").good());
    }

    @Test
    void scan_and_count_take_a_range() {
        fill();
        assertEquals(
                "b\\n\napricot\n",
                target.run("scan", "--keys-only", "--reverse", "--limit", "2").good());
        assertEquals(
                "apricot\n",
                target.run("scan", "--keys-only", "--from=apq", "--to=b").good());
        assertEquals(
                "apple\napricot\n",
                target.run("scan", "--keys-only", "--prefix=ap").good());
        assertEquals("apple\napricot\n", target.run("scan", "--keys-only", "ap").good());
        assertEquals("3\n", target.run("count").good());
        assertEquals("2\n", target.run("count", "ap").good());
        assertEquals(
                "1\n", target.run("count", "--key-encoding=hex", "--from=62").good());
        target.run("scan", "a", "--from=b").failed(ExitStatus.USAGE);
        target.run("count", "a", "--prefix=b").failed(ExitStatus.USAGE);
        target.run("scan", "--limit=0").failed(ExitStatus.USAGE);
        target.run("scan", "--limit=-1").failed(ExitStatus.USAGE);
        target.run("scan", "--limit=many").failed(ExitStatus.USAGE);
    }

    @Test
    void a_table_without_an_order_has_no_ranges() {
        String hash = target.database() + "/hash";
        target.run("table", "create", hash, "--engine=hash").good();
        target.run("put", "k", "v", "-t", hash).good();
        assertEquals("k  v\n", target.run("scan", "-t", hash).good());
        assertTrue(target.run("scan", "k", "-t", hash).failed(ExitStatus.USAGE).contains("which has no order of keys"));
        target.run("count", "k", "-t", hash).failed(ExitStatus.USAGE);
    }

    @Test
    void long_values_are_cut_in_a_table_only() {
        for (int bytes : List.of(199, 200, 201)) {
            target.run("put", "k", "v".repeat(bytes)).good();
            String shown = target.run("scan").good();
            assertEquals(
                    "k  " + "v".repeat(Math.min(bytes, 200)) + (bytes > 200 ? "... (201 bytes)" : "") + "\n", shown);
            assertEquals(
                    "k\t" + "v".repeat(bytes) + "\n",
                    target.run("scan", "--output=raw").good());
        }
        target.run("put", "k", "x" + "\u00E9".repeat(150)).good();
        assertEquals(
                "k  x" + "\u00E9".repeat(99) + "... (301 bytes)\n",
                target.run("scan").good());
    }

    @Test
    void keys_have_at_most_65535_bytes() {
        for (int bytes : List.of(65_534, 65_535)) {
            target.run("put", "k".repeat(bytes), "v").good();
            assertEquals("v", target.run("get", "k".repeat(bytes)).good());
        }
        assertEquals(
                "KEY has 65536 bytes; a key has at most 65535",
                target.run("put", "k".repeat(65_536), "v").failed(ExitStatus.USAGE));
        assertEquals("2\n", target.run("count").good());
    }

    @Test
    void values_have_a_limit_that_is_told() {
        String small = target.database() + "/small";
        target.run("table", "create", small, "-o", "MAX_VALUE_BYTES=1000000").good();
        for (int bytes : List.of(999_999, 1_000_000)) {
            target.with(new byte[bytes], "put", "k", "-", "-t", small).good();
            assertEquals(bytes, target.run("get", "k", "-t", small).output().length);
        }
        String line =
                target.with(new byte[1_000_001], "put", "k", "-", "-t", small).failed(ExitStatus.USAGE);
        assertTrue(line.contains("1000001") && line.contains("1000000"), line);
        assertEquals(1_000_000, target.run("get", "k", "-t", small).output().length);
    }

    @Test
    void a_value_that_fits_into_no_page_is_shown() {
        int bytes = 16 << 20;
        target.with(new byte[bytes], "put", "k", "-").good();
        assertEquals(bytes + 3, target.run("scan", "--output=raw").output().length);
        assertEquals(
                "k  " + "\\x00".repeat(200) + "... (16,777,216 bytes)\n",
                target.run("scan").good());
    }

    @Test
    void a_reader_that_goes_away_ends_a_command_without_a_word() {
        fill();
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        for (String command : List.of("scan", "get apple", "count", "stats")) {
            CommandRun run = CommandRun.into(closed, target.environment(), command.split(" ", -1));
            assertEquals("", run.errors());
            assertEquals(ExitStatus.OK, run.status());
        }
        for (String thing : List.of("export", "dump")) {
            assertEquals(
                    "the reader went away; the " + thing + " is not whole",
                    CommandRun.into(closed, target.environment(), thing).failed(ExitStatus.ERROR));
        }
    }

    @Test
    void text_of_any_script_is_shown_as_it_is() {
        String text = new String("\u4F60\u597D \u00FC".getBytes(UTF_8), UTF_8);
        target.run("put", text, text).good();
        assertEquals(text + "  " + text + "\n", target.run("scan").good());
        target.run("put", "mark\u202E", "\u001b[31m").good();
        assertEquals(
                "mark\\xe2\\x80\\xae  \\x1b[31m\n", target.run("scan", "mark").good());
        assertEquals(
                "\u001b[31m",
                target.run("get", "--key-encoding=escaped", "mark\\xe2\\x80\\xae")
                        .good());
    }
}
