package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.dump.NdjsonDumpReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Dumps and loads, on a server and in a directory. */
@ParameterizedClass
@ValueSource(strings = {TestTarget.SERVER, TestTarget.DIRECTORY})
final class DumpTest {

    private static final String ROWS = """
            {"key":"a","value":""}
            {"key":"b","value_hex":"00ff"}
            {"key_hex":"","value":"of the empty key"}
            """;

    @Parameter
    private String kind = "";

    @TempDir
    private Path temp;

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestTarget target;

    @BeforeEach
    void make_tables() {
        target = TestTarget.of(kind, temp, "lsm");
        target.with(ROWS, "import").good();
        String other = target.database() + "/u";
        target.run("table", "create", other, "--engine=hash", "-o", "MAX_VALUE_BYTES=3000000")
                .good();
        target.run("put", "-t", other, "k", "x".repeat(2_500_000)).good();
        target.run("table", "create", target.database() + "/none", "--engine=bplus")
                .good();
    }

    private String copy() {
        return target.database() + "copy";
    }

    private String exported(String table) {
        return target.run("export", "-t", table).good();
    }

    /** Requires that the copy has all tables of the database, with their definitions and entries. */
    private void requireCopy() {
        assertEquals(
                copy() + "/none\n" + copy() + "/t\n" + copy() + "/u\n",
                target.run("table", "list", copy()).good());
        for (String table : List.of("none", "t", "u")) {
            assertEquals(exported(target.database() + "/" + table), exported(copy() + "/" + table));
            assertEquals(definition(target.database() + "/" + table), definition(copy() + "/" + table));
        }
    }

    private String definition(String table) {
        String info = target.run("table", "info", table, "--output=json").good();
        return info.substring(info.indexOf("\"options\"")) + info.replaceAll(".*(\"engine\":\"[a-z]+\").*\\s*", "$1");
    }

    @Test
    void a_database_comes_back() {
        Path file = temp.resolve("dump");
        CommandRun dumped = target.run("dump", target.database(), "-o", file.toString());
        assertEquals("", dumped.good());
        assertTrue(dumped.errors().startsWith(file + ": 3 tables, 4 entries, "), dumped.errors());
        CommandRun loaded = target.run("load", file.toString(), "--into", copy());
        assertEquals("", loaded.good());
        assertTrue(loaded.errors().startsWith(file + ": 3 tables, 4 entries, "), loaded.errors());
        requireCopy();
        assertEquals(
                target.database() + "/none: 0 entries, bplus\n" + target.database() + "/t: 3 entries, lsm\n"
                        + target.database() + "/u: 1 entry, hash\n",
                CommandRun.of("load", "--check", file.toString()).good());
    }

    @Test
    void a_dump_goes_through_a_pipe() {
        for (String codec : List.of("none", "zstd")) {
            CommandRun dumped = target.run("dump", target.database(), "--codec", codec);
            dumped.good();
            assertEquals("", dumped.errors());
            target.with(dumped.output(), "load", "--into", copy()).good();
            requireCopy();
            drop(copy());
        }
    }

    private void drop(String database) {
        target.run("table", "list", database)
                .good()
                .lines()
                .forEach(table -> target.run("table", "drop", table, "--yes").good());
        target.run("db", "drop", database, "--yes").good();
    }

    @Test
    void a_dump_may_be_a_directory_of_text() throws Exception {
        Path directory = temp.resolve("text");
        target.run("dump", target.database(), "--format=ndjson", "-o", directory.toString())
                .good();
        Path table = directory.resolve(target.database()).resolve("t.ndjson");
        assertEquals(exported(target.table()), Files.readString(table));
        target.run("load", directory.toString(), "--into", copy()).good();
        requireCopy();
        drop(copy());
        Files.writeString(table, "{\"end\":true,\"count\":0}\n");
        assertEquals(
                table + ": there are 0 entries, and 3 were written; copy the dump again, or make another one"
                        + " (nothing was loaded)",
                target.run("load", directory.toString(), "--into", copy()).failed(ExitStatus.ERROR));
        assertFalse(target.run("db", "list").good().contains(copy()));
        Files.writeString(table, "{\"key\":\"" + " ".repeat((1 << 20) + 1));
        try (NdjsonDumpReader reader = new NdjsonDumpReader(directory)) {
            reader.setMostValueBytes(0);
            CommandFailure e = assertThrows(CommandFailure.class, reader::next);
            assertEquals(
                    table
                            + ", line 1: the line has more than 1048576 bytes; the target takes values of at most 0"
                            + " bytes; raise its limit, or leave the table out",
                    e.getMessage());
        }
        Files.delete(table);
        assertEquals(
                table + " is not there (nothing was loaded)",
                target.run("load", directory.toString(), "--into", copy()).failed(ExitStatus.ERROR));
        Path definitions = directory.resolve("tables.ndjson");
        String text = Files.readString(definitions);
        Files.writeString(definitions, text.substring(0, text.indexOf("{\"end\"")));
        assertTrue(target.run("load", directory.toString())
                .failed(ExitStatus.ERROR)
                .startsWith(definitions + ", line 4: the definitions were cut off here"));
        target.run("dump", target.database(), "--format=ndjson", "-o", directory.toString())
                .failed(ExitStatus.CONDITION_FAILED);
        target.run("dump", target.database(), "--format=ndjson").failed(ExitStatus.USAGE);
    }

    @Test
    void an_empty_directory_may_be_named_by_a_dot() throws Exception {
        for (String name : List.of("one/.", "two/")) {
            Path directory = Files.createDirectory(temp.resolve(name.substring(0, 3)));
            target.run("dump", target.database(), "--format=ndjson", "-o", temp + "/" + name)
                    .good();
            assertTrue(Files.exists(directory.resolve("tables.ndjson")));
            assertEquals(2, directory.toFile().list().length);
        }
    }

    @Test
    void definitions_that_are_no_text_are_named() throws Exception {
        Path directory = Files.createDirectory(temp.resolve("text"));
        byte[] bad = {'{', '"', 'd', (byte) 0xFF, '"', ':', '1', '}', '\n'};
        Path definitions = Files.write(directory.resolve("tables.ndjson"), bad);
        String line = target.run("load", directory.toString()).failed(ExitStatus.ERROR);
        assertTrue(line.startsWith(definitions + ", line 1: this line, or one that follows, is not UTF-8; copy"), line);
    }

    @Test
    void single_tables_and_other_options() {
        byte[] dump = target.run("dump", target.table()).output();
        target.with(dump, "load", "--into", copy(), "--option", "MAX_VALUE_BYTES=2000")
                .good();
        assertEquals(copy() + "/t\n", target.run("table", "list", copy()).good());
        assertTrue(definition(copy() + "/t").contains("\"MAX_VALUE_BYTES\":\"2000\""));
        String refused = target.with(dump, "load", "--into", copy() + "2", "--option", "NONE_SUCH=0")
                .failed(ExitStatus.USAGE);
        assertTrue(refused.endsWith("gives another value) (nothing was loaded)"), refused);
        assertFalse(target.run("db", "list").good().contains(copy() + "2"));
    }

    @Test
    void what_is_there_is_refused_before_anything_is_made() {
        byte[] dump = target.run("dump", target.database()).output();
        target.run("table", "drop", target.table(), "--yes").good();
        String line = target.with(dump, "load").failed(ExitStatus.CONDITION_FAILED);
        assertEquals(
                target.database() + "/none is there already; load --into another database, or drop it first with"
                        + " 'kvstore table drop'",
                line);
        assertFalse(target.run("table", "list", target.database()).good().contains("/t\n"));
        target.run("dump", "nowhere").failed(ExitStatus.NOT_FOUND);
        target.run("dump", target.database() + "/nothing").failed(ExitStatus.NOT_FOUND);
        target.run("load", temp.resolve("no").toString()).failed(ExitStatus.NOT_FOUND);
        target.typed("", "load").failed(ExitStatus.USAGE);
        target.typed("", "dump").failed(ExitStatus.USAGE);
    }

    @Test
    void a_damaged_or_cut_dump_leaves_nothing() {
        byte[] dump = target.run("dump", target.database()).output();
        byte[] damaged = dump.clone();
        damaged[dump.length - 30] ^= 1;
        byte[] cut = Arrays.copyOf(dump, dump.length - 1);
        for (byte[] bad : List.of(damaged, cut)) {
            String line = target.with(bad, "load", "--into", copy()).failed(ExitStatus.ERROR);
            assertTrue(line.matches("standard input at offset [0-9]+: .*"), line);
            assertTrue(line.endsWith("; copy the dump again, or make another one (nothing was loaded)"), line);
            assertFalse(target.run("db", "list").good().contains(copy()));
            CommandRun.in(Map.of(), Streams.of(bad), "load", "--check").failed(ExitStatus.ERROR);
        }
        String none = target.with("{\"key\":\"a\"}", "load").failed(ExitStatus.ERROR);
        assertTrue(none.contains("this is not a dump of kvstore"), none);
    }

    @Test
    void an_interrupted_load_leaves_nothing() {
        byte[] dump = target.run("dump", target.database()).output();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console[] console = new Console[1];
        int[] asked = new int[1];
        LongSupplier clock = () -> {
            if (++asked[0] == 5) {
                console[0].interruption().ask();
            }
            return asked[0];
        };
        console[0] = new Console(
                new ByteArrayInputStream(dump), new ByteArrayOutputStream(), errors, CommandRun.NONE, clock);
        int status = Commands.run(console[0], target.environment(), "load", "--into", copy());
        assertEquals("kvstore: interrupted (nothing was loaded)\n", errors.toString(UTF_8));
        assertEquals(ExitStatus.INTERRUPTED, status);
        assertFalse(target.run("db", "list").good().contains(copy()));
    }

    @Test
    void a_sealed_table_goes_into_a_directory_only() throws Exception {
        String store = temp.resolve("other").toString();
        CommandRun.of("db", "create", "s", "--url", store).good();
        CommandRun.of("table", "create", "s/t", "--engine=sealed", "--url", store)
                .good();
        Path file = temp.resolve("table.sealed");
        CommandRun.with("{\"key\":\"a\",\"value\":\"1\"}\n", "build", file.toString())
                .good();
        try (KVStore opened = new KVStore(Path.of(store).toFile())) {
            opened.table("s", "t").files().swap(file);
        }
        byte[] dump = CommandRun.of("dump", "s", "--url", store).output();
        CommandRun loaded = target.with(dump, "load", "--into", copy());
        if (kind.equals(TestTarget.SERVER)) {
            assertTrue(loaded.failed(ExitStatus.USAGE).startsWith("the dump has " + copy() + "/t, a sealed table"));
            assertFalse(target.run("db", "list").good().contains(copy()));
        } else {
            loaded.good();
            assertEquals(
                    "a\t1\n",
                    target.run("scan", "-t", copy() + "/t", "--output=raw").good());
            assertTrue(target.run("table", "info", copy() + "/t").good().contains("sealed"));
        }
    }
}
