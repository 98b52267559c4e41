package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Import and export, on a server and in a directory. */
@ParameterizedClass
@ValueSource(strings = {TestTarget.SERVER, TestTarget.DIRECTORY})
final class TransferTest {

    @Parameter
    private String kind = "";

    @TempDir
    private Path temp;

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestTarget target;

    @BeforeEach
    void make_a_table() {
        target = TestTarget.of(kind, temp, "lsm");
        target.run("table", "create", target.database() + "/u", "--engine=bplus")
                .good();
    }

    private String other() {
        return target.database() + "/u";
    }

    @Test
    void an_export_is_imported_as_it_is() throws Exception {
        StringBuilder rows = new StringBuilder();
        Random random = new Random(1);
        for (int i = 0; i < 2_500; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            rows.append("{\"key\":\"k").append(i).append("\",\"value_hex\":\"");
            rows.append(java.util.HexFormat.of().formatHex(bytes)).append("\"}\n");
        }
        CommandRun imported = target.with(rows.toString(), "import");
        assertEquals("", imported.good());
        assertTrue(imported.errors().startsWith(target.table() + ": 2,500 rows, "), imported.errors());
        assertEquals("2500\n", target.run("count").good());
        for (String options :
                List.of("--format=ndjson", "--format=csv", "--format=csv --encoding=hex", "--encoding=base64")) {
            CommandRun exported = target.run(("export " + options).split(" ", -1));
            exported.good();
            target.run("table", "truncate", other(), "--yes").good();
            String format = options.contains("csv") ? "--format=csv" : "--format=ndjson";
            target.with(exported.output(), "import", "-t", other(), format, "--quiet")
                    .good();
            assertArrayEquals(
                    exported.output(),
                    target.run(("export -t " + other() + " " + options).split(" ", -1))
                            .output(),
                    options);
        }
    }

    @Test
    void the_last_line_of_an_export_is_held_against_the_rows() {
        target.with("{\"key\":\"a\",\"value\":\"1\"}\n{\"end\":true,\"count\":1}\n", "import")
                .good();
        String line = target.with("{\"key\":\"b\",\"value\":\"2\"}\n{\"end\":true,\"count\":2}\n", "import")
                .failed(ExitStatus.ERROR);
        assertEquals(
                "standard input, line 2: the export ends here with 2 entries, and 1 have come; export again"
                        + " (0 rows before are stored)",
                line);
        assertEquals("1\n", target.run("count").good());
    }

    @Test
    void an_export_of_many_pages_has_each_entry_once_and_in_order() throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 43_000; i++) {
            rows.append("{\"key\":\"k")
                    .append(100_000 + i)
                    .append("\",\"value\":\"")
                    .append(i)
                    .append("\"}\n");
        }
        target.with(rows.toString(), "import").good();
        assertEquals(
                rows + "{\"end\":true,\"count\":43000}\n", target.run("export").good());
        for (int limit : new int[] {999, 1_000, 1_001, 21_000, 21_001}) {
            int end = rows.indexOf("{\"key\":\"k" + (100_000 + limit));
            assertEquals(
                    rows.substring(0, end) + "{\"end\":true,\"count\":" + limit + "}\n",
                    target.run("export", "--limit=" + limit).good());
        }
    }

    @Test
    void a_line_is_as_long_as_the_option_says() throws Exception {
        String row = "{\"key\":\"a\",\"value\":\"" + "v".repeat(100) + "\"}";
        int most = row.length() - 1;
        assertEquals(
                "standard input, line 1: the line has more than " + most
                        + " bytes; give more to --max-line (0 rows before are stored)",
                target.with(row, "import", "--max-line=" + most).failed(ExitStatus.ERROR));
        target.with(row, "import", "--max-line=" + row.length()).good();
        assertEquals("1\n", target.run("count").good());
    }

    @Test
    void exports_are_of_a_part() {
        target.with("key,value\na,1\nb,\"x,y\"\nbc,3\n", "import", "--format=csv")
                .good();
        assertEquals(
                "key,value\nb,\"x,y\"\nbc,3\n",
                target.run("export", "--format=csv", "--prefix=b").good());
        assertEquals(
                "{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\",\"value\":\"x,y\"}\n{\"end\":true,\"count\":2}\n",
                target.run("export", "--to=bc").good());
        assertEquals(
                "key,value\na,1\n",
                target.run("export", "--format=csv", "--limit=1").good());
    }

    @Test
    void columns_are_named_and_files_have_formats() throws Exception {
        Path csv = Files.writeString(temp.resolve("users.csv"), "name,id\nAda,7\n\"Lovelace, A.\",8\n");
        target.run("import", csv.toString(), "--key=id", "--value=name").good();
        assertEquals(
                "7\tAda\n8\tLovelace, A.\n", target.run("scan", "--output=raw").good());
        Path out = temp.resolve("out.csv");
        CommandRun exported = target.run("export", "-o", out.toString());
        assertEquals("", exported.good());
        assertTrue(exported.errors().startsWith(out + ": 2 entries, "), exported.errors());
        assertEquals("key,value\n7,Ada\n8,\"Lovelace, A.\"\n", Files.readString(out));
    }

    @Test
    void a_bad_row_is_named_and_rows_before_it_are_told() {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 15_000; i++) {
            rows.append("{\"key\":\"k").append(i).append("\",\"value\":\"v\"}\n");
        }
        String line =
                target.with(rows + "{\"key\":\"z\",\"value\":7}\n", "import").failed(ExitStatus.ERROR);
        assertEquals(
                "standard input, line 15001: value is a number; give a string (10,000 rows before are stored)", line);
        assertEquals("10000\n", target.run("count").good());
        target.with("{\"key\":\"k\",\"value\":\"v\"}", "import", "-t", target.database() + "/none")
                .failed(ExitStatus.NOT_FOUND);
        target.run("import", temp.resolve("no").toString()).failed(ExitStatus.NOT_FOUND);
        assertTrue(target.with("", "import").failed(ExitStatus.ERROR).contains("there are no rows"));
    }

    @Test
    void a_value_over_the_limit_is_named_by_its_line() {
        String small = target.database() + "/small";
        target.run("table", "create", small, "-o", "MAX_VALUE_BYTES=1000").good();
        for (int bytes : List.of(999, 1_000, 1_001)) {
            String rows = "{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\",\"value\":\"" + "v".repeat(bytes) + "\"}\n";
            CommandRun run = target.with(rows, "import", "-t", small);
            if (bytes <= 1_000) {
                run.good();
            } else {
                assertEquals(
                        "standard input, line 2: the value has 1001 bytes; it may have at most 1000, MAX_VALUE_BYTES of "
                                + small + "; leave the row out, or raise that (0 rows before are stored)",
                        run.failed(ExitStatus.ERROR));
            }
        }
    }

    @Test
    void what_is_no_text_is_refused_as_utf8_and_the_file_stays() throws Exception {
        target.run("put", "k", "--value-encoding=hex", "ff").good();
        Path out = Files.writeString(temp.resolve("out"), "before");
        String line =
                target.run("export", "--encoding=utf8", "-o", out.toString()).failed(ExitStatus.ERROR);
        assertTrue(line.contains("is not UTF-8; give --encoding auto, hex or base64"), line);
        assertEquals("before", Files.readString(out));
        try (Stream<Path> files = Files.list(temp)) {
            assertTrue(files.noneMatch(file -> file.toString().endsWith(".tmp")));
        }
        target.run("export", "-o", temp.resolve("no/where").toString()).failed(ExitStatus.NOT_FOUND);
    }

    private static LongSupplier clock(long stepMillis) {
        AtomicLong now = new AtomicLong();
        return () -> now.getAndAdd(TimeUnit.MILLISECONDS.toNanos(stepMillis));
    }

    @Test
    void progress_has_rows_and_rate() {
        byte[] rows = "{\"key\":\"a\",\"value\":\"1\"}\n".repeat(100).getBytes(StandardCharsets.US_ASCII);
        Streams elsewhere = new Streams(new ByteArrayInputStream(rows), CommandRun.NONE, clock(1_000));
        List<String> lines = CommandRun.in(target.environment(), elsewhere, "import")
                .errors()
                .lines()
                .toList();
        assertEquals(11, lines.size(), lines::toString);
        assertEquals("importing: 10 rows, 1 rows/s", lines.getFirst());
        Terminals terminal = new Terminals(false, false, true);
        Streams drawn = new Streams(new ByteArrayInputStream(rows), terminal, clock(100));
        assertTrue(CommandRun.in(target.environment(), drawn, "import")
                .errors()
                .startsWith("\r\033[?7limporting: 1 row, 10 rows/s\033[K"));
        CommandRun quiet = CommandRun.in(
                target.environment(),
                new Streams(new ByteArrayInputStream(rows), terminal, clock(10_000)),
                "import",
                "--quiet");
        assertEquals("", quiet.errors());
    }

    @Test
    void exports_and_dumps_estimate_the_time_that_is_left() {
        target.with("{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\",\"value\":\"1\"}\n", "import")
                .good();
        Terminals terminal = new Terminals(false, false, true);
        for (String job : List.of("export", "dump " + target.table())) {
            Streams drawn = new Streams(InputStream.nullInputStream(), terminal, clock(100));
            String errors = CommandRun.in(target.environment(), drawn, job.split(" ", -1))
                    .errors();
            String verb = job.startsWith("dump") ? "dumping" : "exporting";
            assertTrue(
                    errors.startsWith(
                            "\r\033[?7l" + verb + ": [##########----------] about  50 %, 1 entry, 10 entries/s, about"
                                    + " 0:00 left\033[K"),
                    errors);
        }
        Streams drawn = new Streams(InputStream.nullInputStream(), terminal, clock(100));
        String part = CommandRun.in(target.environment(), drawn, "export", "--prefix=a")
                .errors();
        assertTrue(part.startsWith("\r\033[?7lexporting: 1 entry, 10 entries/s\033[K"), part);
    }

    /** Asks the command to end while it reads, as Ctrl-C does. */
    private CommandRun interrupted(byte[] rows, int after, String... arguments) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console[] console = new Console[1];
        int[] asked = new int[1];
        LongSupplier clock = () -> {
            if (++asked[0] == after) {
                console[0].interruption().ask();
            }
            return asked[0];
        };
        InputStream input = new ByteArrayInputStream(rows);
        console[0] = new Console(input, output, errors, CommandRun.NONE, clock);
        int status = Commands.run(console[0], target.environment(), arguments);
        return new CommandRun(status, output.toByteArray(), errors.toString(StandardCharsets.UTF_8));
    }

    @Test
    void an_interrupted_command_leaves_nothing_half_done() throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 30_000; i++) {
            rows.append("{\"key\":\"k").append(100_000 + i).append("\",\"value\":\"v\"}\n");
        }
        byte[] text = rows.toString().getBytes(StandardCharsets.US_ASCII);
        String line = interrupted(text, 15_000, "import").failed(ExitStatus.INTERRUPTED);
        assertEquals("interrupted (10,000 rows before are stored)", line);
        assertEquals("10000\n", target.run("count").good());
        target.with(text, "import").good();
        Path out = temp.resolve("out");
        assertEquals(
                "interrupted",
                interrupted(new byte[0], 1_500, "export", "-o", out.toString()).failed(ExitStatus.INTERRUPTED));
        assertFalse(Files.exists(out));
        try (Stream<Path> files = Files.list(temp)) {
            assertTrue(files.noneMatch(file -> file.toString().endsWith(".tmp")));
        }
    }
}
