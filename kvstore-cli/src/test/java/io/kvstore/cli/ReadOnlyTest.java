package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code --read-only} refuses, and that nothing is written with it. */
final class ReadOnlyTest {

    private static final String REFUSAL = "this command may write, which --read-only refuses; leave --read-only out";

    /** Commands that only read. */
    private static final List<String> READS = List.of(
            "get k",
            "exists k",
            "scan",
            "count",
            "export",
            "stats",
            "table list",
            "table info",
            "db list",
            "db info D",
            "dump",
            "version",
            "top --count=1 --interval=0.01");

    private static final List<String> WRITES = List.of(
            "put k v",
            "del k",
            "add n",
            "cas k w --expect=v",
            "db create f",
            "db drop e --yes",
            "table create D/u",
            "table truncate D/t --yes",
            "table drop D/t --yes",
            "table compact D/t");

    @TempDir
    private Path temp;

    private static String[] words(TestTarget target, String command) {
        return (command + " --read-only").replace("D", target.database()).split(" ", -1);
    }

    private static TestTarget filled(String kind, Path temp) {
        TestTarget target = TestTarget.of(kind, temp, "lsm");
        target.run("put", "k", "v").good();
        target.run("db", "create", "e").good();
        return target;
    }

    @ParameterizedTest
    @ValueSource(strings = {TestTarget.SERVER, TestTarget.DIRECTORY})
    void reads_are_answered_and_writes_refused(String kind) {
        TestTarget target = filled(kind, temp);
        for (String read : READS) {
            target.run(words(target, read)).good();
        }
        byte[] dump = target.run("dump", target.database()).output();
        for (String write : WRITES) {
            assertEquals(REFUSAL, target.run(words(target, write)).failed(ExitStatus.USAGE), write);
        }
        assertTrue(target.with("{\"key\":\"k\",\"value\":\"w\"}\n", "import", "--read-only")
                .failed(ExitStatus.USAGE)
                .startsWith(REFUSAL));
        assertEquals(
                REFUSAL, target.with(dump, "load", "--into", "f", "--read-only").failed(ExitStatus.USAGE));
        assertEquals("v", target.run("get", "k").good());
        CommandRun shell = target.with("get k\nput k w\n", "shell", "--read-only");
        assertEquals("v\n", shell.text());
        assertEquals("kvstore: " + REFUSAL + "\nkvstore: stopped at standard input, line 2\n", shell.errors());
    }

    @Test
    void a_shell_that_only_reads_builds_no_table_file_and_salvages_no_store() throws IOException {
        TestTarget target = filled(TestTarget.DIRECTORY, temp);
        Path rows = Files.writeString(temp.resolve("rows"), "{\"key\":\"a\",\"value\":\"1\"}\n");
        Path made = temp.resolve("made");
        for (String command : List.of("build " + made + " " + rows, "salvage " + target.url() + " --to " + made)) {
            CommandRun shell = target.with(command + "\n", "shell", "--read-only");
            assertEquals("kvstore: " + REFUSAL + "\nkvstore: stopped at standard input, line 1\n", shell.errors());
            assertEquals(ExitStatus.USAGE, shell.status());
            assertFalse(Files.exists(made), command);
        }
        target.with("build " + made + " " + rows + "\n", "shell").good();
        assertTrue(Files.exists(made));
        for (String command : List.of("export -o ", "dump -o ")) {
            Path named = temp.resolve(command.substring(0, 4));
            target.with(command + named + "\n", "shell", "--read-only").good();
            assertTrue(Files.size(named) > 0, command);
        }
    }

    /** Each file with its bytes and its time, and each directory. */
    private static Map<Path, String> state(Path store) throws IOException {
        Map<Path, String> state = new TreeMap<>();
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.toList()) {
                String bytes = Files.isDirectory(file) ? "" : Arrays.toString(Files.readAllBytes(file));
                state.put(file, Files.getLastModifiedTime(file) + " " + bytes.hashCode());
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return state;
    }

    @Test
    void nothing_is_written() throws IOException {
        TestTarget target = filled(TestTarget.DIRECTORY, temp);
        Path store = Path.of(target.url());
        Map<Path, String> before = state(store);
        for (String read : READS) {
            target.run(words(target, read)).good();
        }
        for (String write : WRITES) {
            target.run(words(target, write)).failed(ExitStatus.USAGE);
        }
        assertEquals(before, state(store));
        target.run("count").good();
        assertFalse(before.equals(state(store)), "a command that may write leaves traces, or this test finds none");
    }

    @Test
    void several_read_at_once_and_none_beside_a_writer() {
        TestTarget target = filled(TestTarget.DIRECTORY, temp);
        KVStoreOptions reading = KVStoreOptions.defaults().withReadOnly(true);
        try (KVStore _ = new KVStore(Path.of(target.url()), reading)) {
            assertEquals("v", target.run("get", "k", "--read-only").good());
            target.run("get", "k").failed(ExitStatus.UNAVAILABLE);
        }
        try (KVStore _ = new KVStore(Path.of(target.url()), KVStoreOptions.defaults())) {
            String line = target.run("get", "k", "--read-only").failed(ExitStatus.UNAVAILABLE);
            assertTrue(
                    line.contains("is in use by this process; close the store there, or open another directory"), line);
            assertTrue(line.endsWith("is reached with its URL, such as --url thrift://localhost:9090"), line);
        }
    }

    @Test
    void nothing_is_made_of_an_empty_directory() throws IOException {
        Path none = temp.resolve("none");
        for (Path path : List.of(none, Files.createDirectory(temp.resolve("empty")))) {
            CommandRun.of("db", "list", "--read-only", "--url", path.toString()).failed(ExitStatus.NOT_FOUND);
            CommandRun.of("db", "create", "e", "--read-only", "--url", path.toString())
                    .failed(ExitStatus.USAGE);
        }
        assertFalse(Files.exists(none));
    }

    @Test
    void a_command_of_a_shell_cannot_change_its_mind() {
        TestTarget target = filled(TestTarget.DIRECTORY, temp);
        CommandRun run =
                CommandRun.in(target.environment(), Streams.of("put k w --read-only".getBytes(UTF_8)), "shell");
        assertTrue(run.errors().contains("--read-only out, or begin another shell"), run.errors());
        assertEquals(ExitStatus.USAGE, run.status());
    }
}
