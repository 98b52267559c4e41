package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The shell, driven by lines of a pipe and of a terminal that can do nothing. */
@ParameterizedClass
@ValueSource(strings = {TestTarget.SERVER, TestTarget.DIRECTORY})
final class ShellTest {

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

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(target.environment());
        environment.remove("KVSTORE_TABLE");
        environment.put("HOME", temp.toString());
        return environment;
    }

    private CommandRun piped(String lines, String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "shell";
        System.arraycopy(options, 0, arguments, 1, options.length);
        return CommandRun.in(
                environment(), Streams.of(lines.getBytes(java.nio.charset.StandardCharsets.UTF_8)), arguments);
    }

    /** Lines in the table of the test. */
    private String in(String lines) {
        CommandRun run = piped("use " + target.table() + "\n" + lines);
        assertEquals("", run.errors());
        return run.good();
    }

    private CommandRun typed(String keys) {
        return CommandRun.in(environment(), Streams.typed(keys), "shell", target.table());
    }

    @Test
    void lines_of_a_pipe_are_commands() {
        assertEquals("""
                red
                apple   red
                banana  yellow ripe
                2
                """, in("""
                # a comment

                put apple red
                put banana "yellow ripe"
                get apple
                scan
                count
                """));
    }

    @Test
    void bytes_are_written_as_escapes() {
        assertEquals("""
                a b\\\\c"'  x
                \\xff\\x00  a\\nb
                616220635c2222270a
                """, in("""
                put \\xff\\x00 "a\\nb"
                put a\\ b\\\\c\\"\\' x
                scan
                put d 'ab c\\""'"\\'\\n"
                get d --output hex
                """));
    }

    @Test
    void use_says_which_table_is_meant() {
        String database = target.database();
        piped("use " + database + "\ntable create " + database + "/u\nuse u\nput k 1\ntable list\nuse t\ncount\nuse\n")
                .good();
        CommandRun run = piped("use " + database + "/u\ncount\ncount -t t\ncount -t " + target.table() + "\ndb info\n");
        assertTrue(run.good().startsWith("1\n0\n0\ndatabase    " + database + "\n"), run.text());
        CommandRun renamed = piped("use " + database + "/u\ntable rename u v\ncount\ntable rename v u\ncount\n");
        assertEquals("1\n1\n", renamed.good(), "the place follows the table");
        assertEquals(ExitStatus.NOT_FOUND, piped("use nodb").status());
        assertEquals(ExitStatus.NOT_FOUND, piped("use " + database + "/none").status());
        assertEquals(ExitStatus.USAGE, piped("use a/b/c").status());
        assertEquals(ExitStatus.USAGE, piped("use a b").status());
        CommandRun none = piped("count\n");
        assertEquals(ExitStatus.USAGE, none.status());
        assertTrue(none.errors().contains("give -t DB/TABLE, or 'use DB/TABLE'"), none.errors());
    }

    @Test
    void a_script_stops_at_the_first_line_that_fails() {
        CommandRun run = piped("use " + target.table() + "\nget none\nput k v\n");
        assertEquals(ExitStatus.NOT_FOUND, run.status());
        assertTrue(run.errors().endsWith("kvstore: stopped at standard input, line 2\n"), run.errors());
        assertEquals("false\n", target.run("exists", "k").text());
        CommandRun kept = piped("use " + target.table() + "\nget none\nput k v\nadd k\n", "--keep-going");
        assertEquals(ExitStatus.NOT_FOUND, kept.status());
        assertEquals("true\n", target.run("exists", "k").text());
        assertEquals(ExitStatus.ERROR, piped("put \"k\nv\"\n", "-k").status() == 0 ? 0 : ExitStatus.ERROR);
    }

    @Test
    void mistakes_of_a_line_are_named() {
        for (String[] mistake : new String[][] {
            {"frobnicate", "there is no command 'frobnicate'"},
            {".frobnicate", "there is no .frobnicate; .help lists what there is"},
            {".mode xml", "there is no mode \"xml\"; give table, json, raw, hex or default"},
            {".mode", ".mode needs a word"},
            {".timing maybe", ".timing is on or off, not \"maybe\""},
            {".read " + temp.resolve("none"), "is no file that can be read"},
            {".read a b", ".read takes one word, and \"b\" is another"},
            {"get \"k", "a quote is not closed"},
            {"get k\\q -t d/t", "has a backslash that begins no escape"},
            {"put -t d/t k -", "the shell reads standard input itself"},
            {"import -t d/t", "the shell reads standard input itself"},
            {"build " + temp.resolve("out"), "the shell reads standard input itself"},
            {"shell", "this is a shell already"},
            {"db list --url thrift://other", "this shell works on "},
            {"watch", "watch needs a command"},
            {"watch -n 0 count", "0 is out of range"},
            {"watch -n x count", "\"x\" is no number"},
            {"watch -q 1 count", "there is no option -q of watch"},
        }) {
            CommandRun run = piped(mistake[0] + "\n");
            assertTrue(run.status() == ExitStatus.USAGE || run.status() == ExitStatus.NOT_FOUND, run.errors());
            assertTrue(run.errors().startsWith("kvstore: ") && run.errors().contains(mistake[1]), run.errors());
            assertFalse(run.errors().contains("Exception") || run.errors().contains("defect"), run.errors());
        }
    }

    @Test
    void modes_hold_until_they_are_changed() {
        target.run("put", "k", "v").good();
        assertEquals("""
                {"key":"k","value":"v"}
                {"key":"k","value":"v"}
                6b	76
                k  v
                v
                """, in(".mode json\nget k\nscan\n.mode hex\nscan\n.mode default\nscan\nget k\n"));
    }

    @Test
    void timing_tells_how_long_each_command_took() {
        CommandRun run = piped("use " + target.table() + "\n.timing on\ncount\n.timing off\ncount\n");
        assertEquals("0\n0\n", run.good());
        assertTrue(run.errors().matches("[0-9]+\\.[0-9] ms\n"), run.errors());
    }

    @Test
    void files_are_read_up_to_a_failure_and_not_without_end() throws Exception {
        Path file = Files.writeString(temp.resolve("lines"), "put k 1\nadd k\n");
        assertEquals("2\n2", in(".read " + file + "\nget k --output=raw\n").strip());
        Files.writeString(file, "get none\nput z 1\n");
        CommandRun failed = piped("use " + target.table() + "\n.read " + file + "\n");
        assertTrue(failed.errors().contains("stopped at " + file + ", line 1\n"), failed.errors());
        assertEquals("false\n", target.run("exists", "z").text());
        Files.writeString(file, ".read " + file + "\n");
        assertTrue(piped(".read " + file + "\n").errors().contains("files read files 10 deep"));
    }

    @Test
    void watch_runs_a_command_again() {
        assertEquals("1\n2\n3\n", in("watch -n 0.01 -c 3 add n\n"));
        assertEquals("0\n", in("watch -c 1 count x\n"));
    }

    @Test
    void watch_ends_with_the_status_of_the_last_run_or_when_nobody_reads() {
        CommandRun failed = piped("use " + target.table() + "\nwatch -n 0.01 -c 2 get none\nput z 1\n");
        assertEquals(ExitStatus.NOT_FOUND, failed.status());
        assertEquals("false\n", target.run("exists", "z").text());
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        String lines = "use " + target.table() + "\nwatch -n 0.01 -c 50 add n\n";
        Console console = new Console(
                new ByteArrayInputStream(lines.getBytes(UTF_8)), closed, errors, CommandRun.NONE, System::nanoTime);
        assertEquals(ExitStatus.OK, Commands.run(console, environment(), "shell"));
        assertEquals("1", target.run("get", "n").good());
    }

    @Test
    void a_place_that_was_dropped_does_not_hold() {
        String other = target.database() + "-b";
        target.run("db", "create", other).good();
        piped("use " + other + "\ndb drop " + other + " --yes\nuse " + target.database() + "\ncount -t t\n")
                .good();
    }

    @Test
    void names_of_files_may_have_blanks() throws Exception {
        Path file = Files.writeString(temp.resolve("two words"), "{\"key\":\"a\",\"value\":\"1\"}\n");
        String escaped = file.toString().replace(" ", "\\ ");
        assertEquals("1\n", in("import --quiet " + escaped + "\nput b --file \"" + file + "\"\ndel b\ncount\n"));
    }

    @Test
    void comments_have_no_quotes() {
        assertEquals("0\n", in("# it's a comment\n  # \"another\ncount\n"));
        assertTrue(typed("# it's a comment\ncount\n").text().contains("> 0\n"));
    }

    @Test
    void a_history_that_cannot_be_read_does_not_matter() throws Exception {
        Files.createDirectories(temp.resolve(".local/state/kvstore/history"));
        CommandRun run = typed("count\n");
        run.good();
        assertTrue(run.errors().contains("kvstore: the history was not read: "), run.errors());
        assertTrue(run.text().contains("> 0\n"), run.text());
    }

    /** The clock is asked once for each line. */
    @Test
    void an_interrupt_ends_a_script_between_two_lines() throws Exception {
        Path file = Files.writeString(temp.resolve("lines"), "put a 1\nput b 2\nput c 3\n");
        String use = "use " + target.table() + "\n";
        for (String lines : List.of(use + "put a 1\nput b 2\nput c 3\n", use + ".read " + file + "\nput d 4\n")) {
            for (String key : List.of("a", "b", "c")) {
                target.run("del", key);
            }
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            Console[] console = new Console[1];
            int[] asked = new int[1];
            int second = lines.contains(".read") ? 4 : 3;
            LongSupplier clock = () -> {
                if (++asked[0] == second) {
                    console[0].interruption().ask();
                }
                return asked[0];
            };
            console[0] = new Console(
                    new ByteArrayInputStream(lines.getBytes(UTF_8)),
                    new ByteArrayOutputStream(),
                    errors,
                    CommandRun.NONE,
                    clock);
            int status = Commands.run(console[0], environment(), "shell", "--keep-going");
            String told = errors.toString(UTF_8);
            assertTrue(told.matches("(?s)kvstore: stopped behind [^\n]*, line [23]\n.*"), told);
            assertEquals(ExitStatus.INTERRUPTED, status);
            assertEquals("a  1\nb  2\n", target.run("scan").good());
        }
    }

    @Test
    void help_is_for_all_and_for_each() {
        String help = in(".help\n");
        assertTrue(
                help.contains("\nscan                      Prints entries") && help.contains("\n.timing on|off  "),
                help);
        for (String name : List.of("get", "scan", "table")) {
            assertTrue(in(".help " + name + "\n").contains("Example"), name);
        }
        assertTrue(in("get --help\n").startsWith("Usage: kvstore get"));
    }

    @Test
    void what_destroys_needs_yes_in_a_pipe_and_the_name_at_a_terminal() {
        CommandRun refused = piped("table drop " + target.table() + "\n");
        assertEquals(ExitStatus.USAGE, refused.status());
        CommandRun wrong = typed("table truncate " + target.table() + "\nno\n");
        assertTrue(wrong.errors().contains("the name was not typed; nothing has changed"), wrong.errors());
        CommandRun right = typed("table drop t\n" + target.table() + "\n");
        assertTrue(right.text().contains("Type the name, " + target.table() + ", to drop it: "), right.text());
        assertEquals(ExitStatus.NOT_FOUND, target.run("count").status());
    }

    @Test
    void a_terminal_has_a_prompt_and_goes_on_behind_a_failure() throws Exception {
        CommandRun run = typed("put k \"two\nlines\"\nget none\nget k\nuse\n.quit\ncount\n");
        run.good();
        assertTrue(run.errors().startsWith("kvstore shell on "), run.errors());
        assertTrue(run.errors().contains("kvstore: " + target.table() + " has no key \"none\"\n"), run.errors());
        assertTrue(run.text().contains("kvstore " + target.table() + "> "), run.text());
        assertTrue(run.text().contains("two\nlines\n"), run.text());
        assertTrue(run.text().contains("kvstore> "), run.text());
    }

    @Test
    void the_history_is_for_its_owner_has_no_token_and_nothing_twice() throws Exception {
        typed("count\nget none\ncount\nput token=abc x\ndb list --url thrift://secret@host\ncount\n")
                .good();
        typed("get none\n").good();
        Path history = temp.resolve(".local/state/kvstore/history");
        List<String> lines = Files.readAllLines(history);
        assertEquals(List.of("count", "get none"), lines.stream().sorted().toList(), lines::toString);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(history)));
    }
}
