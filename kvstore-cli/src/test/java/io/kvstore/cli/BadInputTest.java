package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Failures;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused before anything is sent, and how a server is told that is not there. */
final class BadInputTest {

    /** Nobody listens there. */
    private static final String NOWHERE = "thrift://127.0.0.1:1";

    @TempDir
    private Path temp;

    private static CommandRun run(String url, String... arguments) {
        return CommandRun.in(Map.of("KVSTORE_URL", url), Streams.of(new byte[0]), arguments);
    }

    @Test
    void a_full_heap_is_told_without_options_that_a_command_has_not() {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(), OutputStream.nullOutputStream(), errors, CommandRun.NONE, () -> 0);
        assertEquals(ExitStatus.ERROR, new Failures(console).told(new OutOfMemoryError()));
        String line = errors.toString(StandardCharsets.UTF_8);
        assertTrue(line.contains("a larger heap with JDK_JAVA_OPTIONS"), line);
        assertFalse(line.contains("--sort-memory"), line);
    }

    /** It would end the thread with a trace, and the process as if by Ctrl-C. */
    @Test
    void an_error_of_the_jvm_is_told_in_a_line() {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) {
                throw new StackOverflowError();
            }
        };
        String line = CommandRun.into(broken, "version").failed(ExitStatus.ERROR);
        assertTrue(line.startsWith("this is a defect of kvstore, please report it: "), line);
    }

    @Test
    void a_message_that_has_a_remedy_is_not_lost() {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(), OutputStream.nullOutputStream(), errors, CommandRun.NONE, () -> 0);
        new Failures(console).told(new UncheckedIOException("it cannot be used; --lines helps", new IOException("no")));
        new Failures(console).told(new UncheckedIOException(new IOException("no")));
        assertEquals(
                "kvstore: it cannot be used; --lines helps: no\nkvstore: no\n",
                errors.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"import F -t d/t", "export -t d/t -o F", "load F", "dump -o F", "get k -t d/t --url ./F"})
    void a_name_that_no_file_can_have_is_refused(String command) {
        String url = temp.resolve("store").toString();
        run(url, "db", "create", "d").good();
        run(url, "table", "create", "d/t").good();
        String[] words = command.replace("F", "a\0b").split(" ", -1);
        String line = run(url, words).failed(ExitStatus.USAGE);
        assertTrue(line.contains("is no path"), line);
    }

    /** With a URL that leads nowhere, only what was refused before has another status than 5. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "get k | no table is named; give -t DB/TABLE",
                "get -t t k | \"t\" names no database",
                "get -t a/b/c k | \"b/c\" is no name of a table",
                "get -t /t k | \"\" is no name of a database",
                "get -t d/ k | \"\" is no name of a table",
                "get -t d/-t k | \"-t\" is no name of a table",
                "get -t d/t | Missing required parameter: 'KEY'",
                "get -t d/t k more | Unmatched argument at index 4: 'more'",
                "get -t d/t k --key-encoding=hex | KEY \"k\" is not hexadecimal",
                "get -t d/t k\\q --key-encoding=escaped | KEY \"k\\q\" has a backslash that begins no escape",
                "get -t d/t k\\xg0 --key-encoding=escaped | KEY \"k\\xg0\" has \\x without two hexadecimal digits",
                "get -t d/t k\\ --key-encoding=escaped | KEY \"k\\\" has a backslash that begins no escape",
                "get -t d/t k --output=xml | Invalid value for option '--output'",
                "put -t d/t k v --value-encoding=base64 --key-encoding=utf16 | Invalid value for option '--key-encoding'",
                "put -t d/t k --valu | Unknown option: '--valu'; -- stands before arguments that begin with a dash",
                "put -t d/t k ! --value-encoding=base64 | VALUE \"!\" is not base64",
                "put -t d/t k v --durability=maybe | Invalid value for option '--durability'",
                "add -t d/t k ten | DELTA is \"ten\"",
                "scan -t d/t --limit=0 | --limit is 0; give 1 or more",
                "export -t d/t --limit=0 | --limit is 0; give 1 or more",
                "import -t d/t --key=v --value=v | --key and --value are both v",
                "import -t d/t --max-line=0 | --max-line is 0; give 1 to 2000M",
                "db create a/b | \"a/b\" is no name of a database",
                "db info | no database is named",
                "db list --output=hex | --output is hex, which is for values",
                "table create t | \"t\" names no database",
                "table create | name the table as DB/TABLE",
                "table drop | name the table as DB/TABLE",
                "table info | no table is named",
                "table rename d/t | Missing required parameter: 'NEWNAME'",
                "table rename d/t a/b | \"a/b\" is no name of a table",
                "table rename t n | \"t\" names no database",
                "table alter d/t | Missing required parameter: 'NAME=VALUE'",
                "table alter d/t DURABILITY | Value for option positional parameter at index 1..* (NAME=VALUE)",
                "top --interval=0 | --interval is 0.0; give 0.01 to 3600",
                "top --interval=3601 | --interval is 3601.0; give 0.01 to 3600",
                "top --interval=NaN | --interval is NaN; give 0.01 to 3600",
                "top --count=0 | --count is 0; give 1 or more",
                "db | a command is missing: list, create, drop, info",
                "table | a command is missing: list, create",
                "frobnicate | there is no command 'frobnicate'",
                "table frobnicate d/t | there is no command 'frobnicate'",
                "scan -t d/t --limit=ten | Invalid value for option '--limit': 'ten' is no number that it takes",
                "cas -t d/t k v | Missing required argument (specify one of these)",
                "completion fish | Invalid value for positional parameter",
            })
    void it_is_refused_before_anything_is_sent(String command, String message) {
        String line = run(NOWHERE, command.strip().split(" ", -1)).failed(ExitStatus.USAGE);
        assertTrue(line.startsWith(message.strip()), line);
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 65})
    void names_have_at_most_64_characters(int length) {
        CommandRun run = run(NOWHERE, "db", "create", "n".repeat(length));
        run.failed(length <= 64 ? ExitStatus.UNAVAILABLE : ExitStatus.USAGE);
        CommandRun ofTable = run(NOWHERE, "count", "-t", "d/" + "n".repeat(length));
        ofTable.failed(length <= 64 ? ExitStatus.UNAVAILABLE : ExitStatus.USAGE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http:// | KVSTORE_URL: the URL names no host; give http://[TOKEN@]HOST",
                "https://h:x | KVSTORE_URL: the port of the URL is \"x\"",
                "http://h:80/path | KVSTORE_URL: the port of the URL is \"80/path\"",
                "ftp://localhost | KVSTORE_URL: \"ftp\" is no scheme",
                "thrift:// | KVSTORE_URL: the URL names no host",
                "thrift://h:99999 | KVSTORE_URL: the port is 99999; give 1 to 65535",
                "thrift://h:x | KVSTORE_URL: the port of the URL is \"x\"",
                "localhost:9090 | KVSTORE_URL: \"localhost:9090\" is neither a URL nor a directory",
                "'' | KVSTORE_URL: it is empty",
                "file:// | KVSTORE_URL: it is empty",
                "file: | KVSTORE_URL: it is empty",
                "http:/localhost:8080 | KVSTORE_URL: \"http:/localhost:8080\" is neither a URL nor a directory",
                "thrift:localhost:9090/x | KVSTORE_URL: \"thrift:localhost:9090/x\" is neither a URL nor a directory",
            })
    void urls_of_other_forms_are_refused(String url, String message) {
        String line = run(url, "db", "list").failed(ExitStatus.USAGE);
        assertTrue(line.startsWith(message.strip()), line);
    }

    @Test
    void a_server_that_is_not_there_is_told_with_status_5() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        run("thrift://127.0.0.1:" + port, "shell").failed(ExitStatus.UNAVAILABLE);
        String line = run("thrift://127.0.0.1:" + port, "get", "-t", "d/t", "k").failed(ExitStatus.UNAVAILABLE);
        assertTrue(line.startsWith("cannot connect to 127.0.0.1:" + port), line);
        assertTrue(line.contains("is a server there? 'kvstore server' starts one"), line);
    }

    @Test
    void another_port_of_a_server_is_told() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerAsHttp(socket));
            String url = "thrift://127.0.0.1:" + socket.getLocalPort();
            String line = run(url, "get", "-t", "d/t", "k").failed(ExitStatus.UNAVAILABLE);
            assertTrue(line.contains("what answers there speaks HTTP and not Thrift; give the port for Thrift"), line);
        }
        try (StubServer server = new StubServer()) {
            for (int i = 0; i < 10; i++) { // the library asks again, too
                server.add(StubServer::hangUp);
            }
            String line = run(server.url(), "get", "-t", "d/t", "k").failed(ExitStatus.UNAVAILABLE);
            assertTrue(line.contains("it ended without an answer; is this the port for HTTP?"), line);
        }
    }

    /** Takes one frame of Thrift. */
    private static void answerAsHttp(ServerSocket server) {
        try (Socket client = server.accept()) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.readNBytes(in.readInt());
            client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_path_of_another_kind_is_named() throws Exception {
        Path file = Files.writeString(temp.resolve("file"), "x");
        for (String command : List.of("get -t d/t k", "db create d")) {
            String line = run(file.toString(), command.split(" ", -1)).failed(ExitStatus.USAGE);
            assertEquals(file + " is no directory; give the directory of a store", line);
        }
        String check = run(NOWHERE, "check", file.toString()).failed(ExitStatus.NOT_FOUND);
        assertEquals(file + " is no directory; give the directory of a store, or of backups", check);
        String other = temp + " is not empty and not a store (it has file);";
        for (String command : List.of("get -t d/t k", "db create d")) {
            String line = run(temp.toString(), command.split(" ", -1)).failed(ExitStatus.USAGE);
            assertTrue(line.startsWith(other), line);
        }
        String noStore = run(NOWHERE, "check", temp.toString()).failed(ExitStatus.USAGE);
        assertTrue(noStore.startsWith(temp + " holds no store"), noStore);
        String beneath = file.resolve("store").toString();
        String line = run(beneath, "db", "create", "d").failed(ExitStatus.ERROR);
        assertEquals("opening the store in " + beneath + " failed: " + file + " is not a directory", line);
        String token = run(NOWHERE, "get", "-t", "d/t", "k", "--token-file", temp.toString())
                .failed(ExitStatus.NOT_FOUND);
        assertTrue(token.startsWith("--token-file: " + temp + " cannot be read"), token);
    }

    @Test
    void a_file_that_cannot_be_written_is_named() {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full), "a system without a device that is full");
        String store = temp.resolve("store").toString();
        run(store, "db", "create", "d").text();
        run(store, "table", "create", "d/t").text();
        String line = run(store, "export", "-t", "d/t", "-o", full.toString()).failed(ExitStatus.ERROR);
        assertTrue(line.startsWith("writing " + full + " failed: "), line);
    }

    /** A store deletes what it does not know, and a file of the same name would take the place of its own. */
    @Test
    void a_file_in_the_directory_of_a_store_is_not_written() throws Exception {
        Path store = temp.resolve("store");
        run(store.toString(), "db", "create", "d").text();
        run(store.toString(), "table", "create", "d/t").text();
        String table = temp.resolve("table").toString();
        CommandRun.with("{\"key\":\"a\",\"value\":\"1\"}", "build", table).good();
        List<String> before = paths(store);
        Path link = Files.createSymbolicLink(temp.resolve("link"), store);
        for (Path place : List.of(store.resolve("new"), store.resolve("CATALOG"), store.resolve("wal/new"), link)) {
            for (List<String> command : List.of(
                    List.of("export", "-t", "d/t", "-o", place.toString()),
                    List.of("dump", "d", "-o", place.toString()),
                    List.of("dump", "d", "--format=ndjson", "-o", place.toString()),
                    List.of("file", "export", table, "-o", place.toString()),
                    List.of("build", place.toString(), "--force", "-"))) {
                CommandRun run = run(store.toString(), command.toArray(String[]::new));
                assertTrue(
                        run.errors().contains(" is in " + store.toRealPath() + ", the directory of a store"),
                        () -> command + ": " + run.errors());
                assertEquals(before, paths(store), command::toString);
            }
        }
        assertEquals("d\n", run(store.toString(), "db", "list").text());
    }

    /** All files but those of the log, which has new ones each time. */
    private static List<String> paths(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.map(Path::toString)
                    .filter(path -> !path.endsWith(".wal"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void only_db_create_makes_a_store() throws Exception {
        Path directory = temp.resolve("new");
        for (String command : List.of("db list", "get -t d/t k", "put -t d/t k v", "table create d/t", "stats")) {
            String line = run(directory.toString(), command.split(" ", -1)).failed(ExitStatus.NOT_FOUND);
            assertTrue(line.startsWith("there is no store in " + directory), line);
            assertFalse(Files.exists(directory));
        }
        run("file://" + directory, "db", "create", "d").good();
        assertEquals("d\n", run(directory.toString(), "db", "list").good());
        assertEquals("d\n", run("file:" + directory, "db", "list").good());
        Path other = Files.createDirectory(temp.resolve("other"));
        Files.writeString(other.resolve("letter.txt"), "Dear reader");
        run(other.toString(), "db", "create", "d").failed(ExitStatus.USAGE);
        assertEquals(1, other.toFile().listFiles().length);
    }

    @Test
    void a_directory_that_another_process_holds_is_told_with_status_5() throws Exception {
        Path directory = temp.resolve("held");
        try (TestServer server = TestServer.start("--data=" + directory)) {
            assertTrue(server.url().startsWith("thrift://"));
            String line = run(directory.toString(), "db", "list").failed(ExitStatus.UNAVAILABLE);
            assertTrue(line.contains("in use by process"), line);
        }
    }

    @Test
    void a_token_does_not_stand_on_the_command_line() throws Exception {
        String line = CommandRun.of("db", "list", "--url", "thrift://secret@127.0.0.1:1")
                .failed(ExitStatus.USAGE);
        assertTrue(line.startsWith("--url has a token") && !line.contains("secret"), line);
        run("thrift://secret@127.0.0.1:1", "db", "list").failed(ExitStatus.UNAVAILABLE);
        Path missing = temp.resolve("missing");
        assertTrue(CommandRun.of("db", "list", "--token-file", missing.toString())
                .failed(ExitStatus.NOT_FOUND)
                .contains("cannot be read"));
        Path empty = Files.writeString(temp.resolve("empty"), "\n");
        CommandRun.of("db", "list", "--token-file", empty.toString()).failed(ExitStatus.USAGE);
    }
}
