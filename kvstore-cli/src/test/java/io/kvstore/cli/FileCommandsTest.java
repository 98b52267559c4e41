package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.TableFileBuilder;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.engine.TableFileSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands for a file that is there. */
final class FileCommandsTest {

    private static final byte[] BINARY = {(byte) 0xFF, 0, 'x'};

    @TempDir
    private Path temp;

    private String file = "";

    @BeforeEach
    void build() {
        Path path = temp.resolve("fruit.sealed");
        TableFileSettings settings = TableFileSettings.USUAL.withTexts(Map.of("from", "a\u001b[31mb", "name", "fruit"));
        try (TableFileBuilder builder = TableFileBuilder.create(path, settings)) {
            for (String key : List.of("apple", "apricot", "banana", "cherry")) {
                builder.put(key, (key + "!").getBytes(UTF_8));
            }
            builder.put(BINARY, BINARY);
            builder.finish();
        }
        file = path.toString();
    }

    @Test
    void info_is_a_table_for_people() {
        String table = CommandRun.of("file", "info", file).good();
        assertTrue(
                table.matches("(?s)file           \\S+fruit.sealed\nid             [0-9a-f]{32}\nentries        5\n.*"),
                table);
        assertTrue(table.contains("last key       \"\\xff\\x00x\"\n"), table);
        assertTrue(table.contains("longest key    7 bytes\n"), table);
        assertTrue(table.contains("text from      a\\u001b[31mb\n"), table);
        assertFalse(table.contains("\u001b"));
    }

    @Test
    void info_is_json_for_programs() {
        String json = CommandRun.of("file", "info", file, "--output", "json").good();
        assertTrue(json.contains("\"entries\":5,\"bytes\":") && json.contains("\"first_key\":\"apple\","), json);
        assertTrue(json.contains("\"last_key_b64\":\"_wB4\""), json);
        assertTrue(json.contains("\"texts\":{\"from\":\"a\\u001B[31mb\",\"name\":\"fruit\"}"), json);
        assertEquals(1, json.lines().count());
    }

    @Test
    void get_prints_the_bytes_of_the_value_alone() throws Exception {
        assertEquals("apple!", CommandRun.of("file", "get", file, "apple").good());
        CommandRun binary = CommandRun.of("file", "get", file, "FF0078", "--key-encoding=hex");
        binary.good();
        assertArrayEquals(BINARY, binary.output());
        assertEquals(
                "ff0078\n",
                CommandRun.of("file", "get", file, "_wB4", "--key-encoding=base64", "--output=hex")
                        .good());
        assertEquals(
                "{\"key\":\"apple\",\"value\":\"apple!\"}\n",
                CommandRun.of("file", "get", file, "apple", "--output", "JSON").good());
        assertTrue(CommandRun.of("file", "get", file, "aple")
                .failed(ExitStatus.NOT_FOUND)
                .contains("no key \"aple\""));
        CommandRun.of("file", "get", file, "--", "-dash").failed(ExitStatus.NOT_FOUND);
        Path named = Files.writeString(temp.resolve("named"), "apple");
        CommandRun.of("file", "get", file, "@" + named).failed(ExitStatus.NOT_FOUND);
        assertTrue(CommandRun.of("file", "get", file, "xyz", "--key-encoding=hex")
                .failed(ExitStatus.USAGE)
                .contains("KEY \"xyz\" is not hexadecimal"));
    }

    @Test
    void get_ends_the_line_of_a_terminal() {
        Terminals terminal = new Terminals(false, true, false);
        CommandRun run =
                CommandRun.run(InputStream.nullInputStream(), terminal, System::nanoTime, "file", "get", file, "apple");
        assertEquals("apple!\n", run.good());
    }

    @Test
    void export_writes_what_the_http_api_reads() {
        assertEquals("""
                {"key":"apple","value":"apple!"}
                {"key":"apricot","value":"apricot!"}
                {"key":"banana","value":"banana!"}
                {"key":"cherry","value":"cherry!"}
                {"key_b64":"_wB4","value_b64":"_wB4"}
                {"end":true,"count":5}
                """, CommandRun.of("file", "export", file).good());
        assertTrue(CommandRun.of("file", "export", file, "--encoding=hex", "--limit=1")
                .good()
                .startsWith("{\"key_hex\":\"6170706c65\",\"value_hex\":\"6170706c6521\"}\n"));
    }

    @Test
    void csv_is_text_if_all_of_a_column_is() {
        assertEquals(
                "key,value\napple,apple!\napricot,apricot!\n",
                CommandRun.of("file", "export", file, "--format=csv", "--prefix=ap")
                        .good());
        assertEquals(
                "key_b64,value_b64\nY2hlcnJ5,Y2hlcnJ5IQ\n_wB4,_wB4\n",
                CommandRun.of("file", "export", file, "--format=csv", "--from=c")
                        .good());
        assertTrue(CommandRun.of("file", "export", file, "--format=csv", "--encoding=hex", "--from=c")
                .good()
                .startsWith("key_hex,value_hex\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "ndjson"})
    void text_that_was_asked_for_is_refused_if_it_is_none(String format) {
        String line = CommandRun.of("file", "export", file, "--encoding=utf8", "--format", format)
                .failed(ExitStatus.ERROR);
        assertTrue(line.contains("the key \"\\xff\\x00x\" is not UTF-8; give --encoding"), line);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--from=apricot | apricot banana cherry \\xff",
                "--to=banana | apple apricot",
                "--from=apricot --to=cherry | apricot banana",
                "--from=b --to=b | ''",
                "--prefix=ap | apple apricot",
                "--prefix=ap --limit=1 | apple",
                "--prefix=6170 --key-encoding=hex | apple apricot",
                "--from=FF --key-encoding=hex | \\xff",
                "--from=zzzz --limit=1 | \\xff",
            })
    void export_takes_a_range(String options, String keys) {
        String[] arguments = ("file export " + file + " --encoding=hex " + options).split(" ", -1);
        List<String> found = CommandRun.of(arguments).good().lines().toList();
        long expected = keys.isEmpty() ? 0 : keys.split(" ", -1).length;
        assertEquals("{\"end\":true,\"count\":" + expected + "}", found.getLast());
        assertEquals(expected, found.size() - 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "export F --limit 0",
                "export F --limit x",
                "export F --prefix a --from b",
                "export F --from xx --key-encoding hex",
                "export F --format xml",
                "export F -o F",
                "export",
                "info F --output xml",
                "info F stray",
                "get F",
                "verify",
                "",
                "nosuch",
            })
    void a_bad_command_is_named(String command) {
        CommandRun.of(("file " + command).strip().replace("F", file).split(" ", -1))
                .failed(ExitStatus.USAGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"info", "verify", "export", "get"})
    void a_file_that_is_not_there_is_named(String command) throws Exception {
        String missing = temp.resolve("missing").toString();
        String[] key = command.equals("get") ? new String[] {"k"} : new String[0];
        assertTrue(run(command, missing, key).failed(ExitStatus.NOT_FOUND).contains("missing is not there"));
        assertTrue(run(command, temp.toString(), key).failed(ExitStatus.ERROR).contains("is no file"));
        String letter = Files.writeString(temp.resolve("letter"), "Dear reader").toString();
        String line = run(command, letter, key).errors();
        assertTrue(line.startsWith("kvstore: ") && line.contains("letter"), line);
        assertEquals(ExitStatus.ERROR, run(command, letter, key).status());
    }

    private static CommandRun run(String command, String path, String... more) {
        return CommandRun.of(
                Stream.concat(Stream.of("file", command, path), Stream.of(more)).toArray(String[]::new));
    }

    @Test
    void export_to_a_file_gives_the_name_in_the_end() throws Exception {
        Path text = temp.resolve("out.csv");
        CommandRun run = CommandRun.of("file", "export", file, "-o", text.toString(), "--to=b");
        assertEquals("", run.good());
        assertTrue(run.errors().startsWith(text + ": 2 entries, "), run.errors());
        assertEquals("key,value\napple,apple!\napricot,apricot!\n", Files.readString(text));
        CommandRun.of("file", "export", file, "-o", text.toString(), "--encoding=utf8")
                .failed(ExitStatus.ERROR);
        assertEquals("key,value\napple,apple!\napricot,apricot!\n", Files.readString(text));
        try (Stream<Path> files = Files.list(temp)) {
            assertEquals(2, files.count());
        }
        String nowhere = temp.resolve("no").resolve("where").toString();
        CommandRun.of("file", "export", file, "-o", nowhere).failed(ExitStatus.NOT_FOUND);
    }

    /** A file that was for its owner alone is so again. */
    @Test
    void an_export_in_the_place_of_a_file_is_for_the_same_people() throws Exception {
        Path text = Files.writeString(temp.resolve("out"), "before");
        for (String permissions : List.of("rw-------", "r--r-----", "rw-rw-rw-")) {
            Files.setPosixFilePermissions(text, PosixFilePermissions.fromString(permissions));
            CommandRun.of("file", "export", file, "-o", text.toString()).good();
            assertEquals(permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(text)));
            assertEquals(6, Files.readAllLines(text).size());
        }
    }

    @Test
    void verify_is_short_about_a_sound_file() {
        CommandRun run = CommandRun.of("file", "verify", file);
        assertEquals("", run.good());
        assertTrue(run.errors().startsWith(file + " is sound: 5 entries, "), run.errors());
        assertEquals("", CommandRun.of("file", "verify", file, "--quiet").errors());
    }

    @Test
    void verify_prints_each_finding_in_a_line() throws Exception {
        byte[] bytes = Files.readAllBytes(Path.of(file));
        for (int at = 0; at < bytes.length; at += Math.max(1, bytes.length / 97)) {
            bytes[at] ^= 1;
            Files.write(Path.of(file), bytes);
            CommandRun run = CommandRun.of("file", "verify", file);
            String line = run.failed(ExitStatus.ERROR);
            assertTrue(line.contains("is damaged, with "), line);
            assertTrue(run.text().lines().count() >= 1 && run.text().startsWith("fruit.sealed"), run.text());
            bytes[at] ^= 1;
        }
        Files.write(Path.of(file), java.util.Arrays.copyOf(bytes, bytes.length - 1));
        CommandRun.of("file", "verify", file).failed(ExitStatus.ERROR);
    }

    @Test
    void a_reader_that_goes_away_ends_a_command_without_a_word() {
        for (String command : List.of("export", "info")) {
            CommandRun run = CommandRun.into(failing("Broken pipe"), "file", command, file);
            assertEquals("", run.errors());
            assertEquals(ExitStatus.OK, run.status());
        }
        CommandRun full = CommandRun.into(failing("No space left on device"), "file", "export", file);
        assertTrue(full.failed(ExitStatus.ERROR).contains("No space left on device"));
    }

    private static OutputStream failing(String message) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(message);
            }
        };
    }

    @Test
    void help_and_version_come_from_each_command() {
        for (String command :
                List.of("", "build ", "file ", "file info ", "file verify ", "file export ", "file get ")) {
            String help = CommandRun.of((command + "--help").split(" ", -1)).good();
            assertTrue(help.startsWith("Usage: kvstore " + command), help);
            assertTrue(
                    CommandRun.of((command + "--version").split(" ", -1)).good().startsWith("kvstore "));
        }
        assertTrue(CommandRun.of().failed(ExitStatus.USAGE).startsWith("a command is missing: get, put"));
    }

    @Test
    void a_stream_of_any_size_is_written_in_pieces() {
        int[] longest = new int[1];
        OutputStream pieces = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int offset, int length) {
                longest[0] = Math.max(longest[0], length);
                super.write(bytes, offset, length);
            }
        };
        assertEquals(
                ExitStatus.OK, CommandRun.into(pieces, "file", "export", file).status());
        assertTrue(longest[0] > 0);
    }
}
