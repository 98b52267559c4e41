package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands for databases, tables and the store, on a server and in a directory. */
@ParameterizedClass
@ValueSource(strings = {TestTarget.SERVER, TestTarget.DIRECTORY})
final class AdminCommandsTest {

    @Parameter
    private String kind = "";

    @TempDir
    private Path temp;

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestTarget target;

    @BeforeEach
    void make_a_table() {
        target = TestTarget.of(kind, temp, "lsm");
    }

    @Test
    void databases_are_created_listed_and_dropped() {
        String other = target.database() + "-b";
        assertEquals("", target.run("db", "create", other).good());
        CommandRun again = target.run("db", "create", other);
        assertEquals("", again.good());
        assertEquals("the database " + other + " exists already; nothing has changed\n", again.errors());
        assertTrue(target.run("db", "list").good().contains(target.database() + "\n" + other + "\n"));
        assertTrue(target.run("db", "list", "--output=json").good().contains("{\"database\":\"" + other + "\"}\n"));
        target.run("db", "drop", other, "--yes").good();
        assertTrue(!target.run("db", "list").good().contains(other));
        target.run("db", "drop", other, "--yes").failed(ExitStatus.NOT_FOUND);
        target.run("db", "info", other).failed(ExitStatus.NOT_FOUND);
        assertTrue(target.run("db", "drop", target.database(), "--yes")
                .failed(ExitStatus.CONDITION_FAILED)
                .contains("has tables, such as t; drop them first"));
    }

    @Test
    void tables_are_created_listed_and_described() {
        target.run("table", "create", target.database() + "/u", "--engine=bplus", "-o", "DURABILITY=BUFFERED")
                .good();
        target.run("table", "create", target.database() + "/u", "--engine=bplus")
                .good();
        target.run("table", "create", target.database() + "/u").failed(ExitStatus.CONDITION_FAILED);
        target.run("table", "create", target.database() + "/v", "--engine=none").failed(ExitStatus.USAGE);
        target.run("table", "create", target.database() + "/v", "-o", "NONE=1").failed(ExitStatus.USAGE);
        target.run("table", "create", "nodb/v").failed(ExitStatus.NOT_FOUND);
        assertEquals(
                target.database() + "/t\n" + target.database() + "/u\n",
                target.run("table", "list", target.database()).good());
        assertTrue(target.run("table", "list").good().contains(target.table() + "\n"));
        target.run("put", "a", "12").good();
        String info = target.run("table", "info").good();
        assertTrue(info.startsWith("table "), info);
        assertTrue(info.matches("(?s).*\nengine +lsm\nordered +true\nentries +1\n.*DURABILITY +\\w+\n.*"), info);
        String json = target.run("table", "info", "--output=json", target.database() + "/u")
                .good();
        assertTrue(
                json.startsWith("{\"table\":\"" + target.database() + "/u\",\"engine\":\"bplus\",\"ordered\":true,"
                        + "\"entries\":0,"),
                json);
        assertTrue(json.contains("\"options\":{") && json.contains("\"DURABILITY\":\"BUFFERED\""), json);
        assertTrue(target.run("db", "info", target.database())
                .good()
                .matches("(?s)database +\\S+\ntables +2\nentries +1\ndisk_bytes +.*"));
    }

    @Test
    void tables_are_renamed_and_altered() {
        String name = target.database() + "/u";
        target.run("put", "a", "12").good();
        assertEquals("", target.run("table", "rename", target.table(), "u").good());
        assertEquals("12", target.run("get", "-t", name, "a").good());
        target.run("get", "a").failed(ExitStatus.NOT_FOUND);
        target.run("table", "rename", target.table(), "v").failed(ExitStatus.NOT_FOUND);
        target.run("table", "create", target.table()).good();
        assertTrue(target.run("table", "rename", name, "t")
                .failed(ExitStatus.CONDITION_FAILED)
                .contains("has a table t already"));
        target.run("table", "alter", name, "DURABILITY=BUFFERED", "MAX_VALUE_BYTES=2")
                .good();
        String info = target.run("table", "info", name).good();
        assertTrue(info.matches("(?s).*DURABILITY +BUFFERED\n.*MAX_VALUE_BYTES +2\n.*"), info);
        target.run("put", "-t", name, "a", "123").failed(ExitStatus.USAGE);
        assertTrue(target.run("table", "alter", name, "MAX_VALUE_BYTES=3", "COMPRESSION=LZ4")
                .failed(ExitStatus.USAGE)
                .contains("parameter COMPRESSION of table u stays NONE"));
        target.run("table", "alter", target.database() + "/none", "MAX_SSTABLES=3")
                .failed(ExitStatus.NOT_FOUND);
        assertEquals(info, target.run("table", "info", name).good());
    }

    @Test
    void what_destroys_asks_for_the_name() {
        target.run("put", "a", "1").good();
        for (String deed : List.of("truncate", "drop")) {
            assertTrue(target.run("table", deed, target.table())
                    .failed(ExitStatus.USAGE)
                    .endsWith("where nobody can be asked, give --yes"));
            for (String typed : List.of("yes\n", "\n", "", target.table() + "x\n")) {
                CommandRun run = target.typed(typed, "table", deed, target.table());
                assertEquals(ExitStatus.ERROR, run.status());
                assertTrue(run.errors().startsWith("Type the name, " + target.table() + ", to " + deed + " it: "));
                assertTrue(run.errors().endsWith("kvstore: the name was not typed; nothing has changed\n"));
            }
            target.run("table", deed, target.database() + "/none", "--yes").failed(ExitStatus.NOT_FOUND);
            assertEquals(
                    ExitStatus.NOT_FOUND,
                    target.typed("", "table", deed, target.database() + "/none").status());
        }
        assertEquals("1\n", target.run("count").good());
        target.typed(target.table() + "\r\n", "table", "truncate", target.table())
                .good();
        assertEquals("0\n", target.run("count").good());
        target.typed(target.table() + "\n", "table", "drop", target.table()).good();
        target.run("count").failed(ExitStatus.NOT_FOUND);
        target.typed(target.database(), "db", "drop", target.database()).good();
    }

    @Test
    void a_table_is_emptied_and_compacted() {
        target.run("put", "a", "1").good();
        CommandRun compacted = target.run("table", "compact");
        assertEquals("", compacted.good());
        assertTrue(compacted.errors().startsWith(target.table() + " was compacted in "), compacted.errors());
        assertEquals("1\n", target.run("count").good());
        target.run("table", "truncate", target.table(), "--yes").good();
        assertEquals("0\n", target.run("count").good());
    }

    @Test
    void an_interrupt_ends_the_wait_for_a_compaction() {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console[] console = new Console[1];
        LongSupplier clock = () -> {
            console[0].interruption().ask();
            return 0;
        };
        console[0] = new Console(
                InputStream.nullInputStream(), OutputStream.nullOutputStream(), errors, CommandRun.NONE, clock);
        int status = Commands.run(console[0], target.environment(), "table", "compact");
        String line = errors.toString(UTF_8);
        boolean isServer = kind.equals(TestTarget.SERVER);
        String more = isServer ? "; operation [0-9]+ of the server goes on" : "";
        assertTrue(line.matches("kvstore: interrupted" + more + "\n"), line);
        assertEquals(ExitStatus.INTERRUPTED, status);
    }

    @Test
    void stats_are_sorted_figures() {
        String store = target.run("stats").good();
        assertTrue(store.contains("\nmemoryBudgetBytes ") && store.contains("\nopenSnapshots "), store);
        assertEquals(store.lines().sorted().toList(), store.lines().toList());
        assertTrue(!store.contains("tables."), store);
        String table = target.run("stats", target.table(), "--output=json").good();
        assertTrue(table.contains("\"engine.entries\":0,") && table.endsWith("}\n"), table);
        assertTrue(table.contains("\"engine.measures.level0_files\":") || table.contains("\"engine.measures."), table);
        assertTrue(!table.contains("engine.measures.0"), table);
    }

    @Test
    void top_prints_a_line_each_interval() {
        List<String> lines =
                target.run("top", "--count=3", "--interval=0.01").good().lines().toList();
        assertEquals(4, lines.size(), lines::toString);
        assertTrue(lines.getFirst().endsWith("file bytes   memory bytes  snapshots"), lines::toString);
        for (String line : lines) {
            assertEquals(96, line.length(), lines::toString);
        }
    }

    @Test
    void version_tells_of_both_sides() {
        assertTrue(target.run("version").good().matches("version +[0-9].*\n"));
        String both = target.run("version", "--server", "--output=json").good();
        assertTrue(both.contains("\"engines\":\"bplus hash ") && both.contains("\"max_key_bytes\":65535"), both);
    }
}
