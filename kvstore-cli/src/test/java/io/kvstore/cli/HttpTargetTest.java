package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands at the HTTP port of a server. */
@TestInstance(Lifecycle.PER_CLASS)
final class HttpTargetTest {

    private static final String TABLE = "http_target/t";

    private final String url = TestServer.shared().httpUrl();

    private CommandRun run(String... arguments) {
        return with("", arguments);
    }

    private CommandRun with(String input, String... arguments) {
        Map<String, String> environment = Map.of("KVSTORE_URL", url, "KVSTORE_TABLE", TABLE);
        return CommandRun.in(environment, Streams.of(input.getBytes(UTF_8)), arguments);
    }

    @BeforeAll
    void create() {
        run("db", "create", "http_target").good();
        run("table", "create", TABLE, "--engine", "lsm").good();
    }

    @AfterAll
    void drop() {
        run("table", "drop", TABLE, "--yes").good();
        run("db", "drop", "http_target", "--yes").good();
    }

    @Test
    void commands_do_the_same_as_over_thrift() {
        run("put", "a", "red").good();
        with("yellow, ripe", "put", "b", "-").good();
        assertEquals("red", run("get", "a").good());
        assertEquals("a  red\nb  yellow, ripe\n", run("scan").good());
        assertEquals("2\n", run("count").good());
        assertEquals("true\n", run("exists", "a").good());
        assertEquals(ExitStatus.NOT_FOUND, run("exists", "none").status());
        String missing = run("get", "none").failed(ExitStatus.NOT_FOUND);
        assertEquals(TABLE + " has no key \"none\"", missing);
        run("cas", "a", "green", "--absent").failed(ExitStatus.CONDITION_FAILED);
        assertEquals("5\n", run("add", "n", "5").good());
        assertTrue(run("table", "info", TABLE).good().contains("lsm"));
        assertTrue(run("table", "list", "http_target").good().contains("t"));
        run("table", "compact", TABLE).good();
        assertTrue(run("version", "--server").good().contains("bplus"));
        run("del", "a").good();
        run("table", "truncate", TABLE, "--yes").good();
        assertEquals("0\n", run("count").good());
        with("{\"key\":\"c\",\"value\":\"1\"}\n{\"key\":\"d\",\"value\":\"2\"}\n", "import", "-")
                .good();
        assertEquals("2\n", run("count").good());
    }

    @Test
    void a_stream_of_entries_is_a_file_that_import_reads() throws Exception {
        run("table", "create", "http_target/copy", "--engine", "lsm").good();
        with("", "put", "-t", "http_target/copy", "k\u00e9", "v").good();
        URI entries = URI.create(url + "/v1/databases/http_target/tables/copy/entries");
        HttpRequest request = HttpRequest.newBuilder(entries)
                .header("Accept", "application/x-ndjson")
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            String file = http.send(request, BodyHandlers.ofString()).body();
            run("table", "truncate", "http_target/copy", "--yes").good();
            with(file, "import", "-t", "http_target/copy", "-").good();
        }
        assertEquals("v", run("get", "-t", "http_target/copy", "k\u00e9").good());
        run("table", "drop", "http_target/copy", "--yes").good();
    }

    @Test
    void an_export_is_that_over_thrift() {
        String table = "http_target/exported";
        run("table", "create", table, "--engine", "bplus").good();
        for (String key : List.of("00", "61", "6162", "c3a9", "ff", "ff00")) {
            run("put", "-t", table, "--key-encoding", "hex", key, "v\"" + key).good();
        }
        with("x".repeat(200_000), "put", "-t", table, "long", "-").good();
        for (String options : List.of(
                "",
                "--format csv",
                "--format csv --encoding hex",
                "--encoding hex",
                "--encoding base64",
                "--limit 2",
                "--prefix a",
                "--prefix \u00e9",
                "--from b --to m",
                "--key-encoding hex --from ff --to ff00",
                "--key-encoding hex --prefix ff",
                "--limit 1000000000000000000",
                "--from a%b?&+ --to ~",
                "--prefix none")) {
            List<String> words = new ArrayList<>(List.of("export", "-t", table));
            words.addAll(options.isEmpty() ? List.of() : List.of(options.split(" ", -1)));
            String overHttp = run(words.toArray(String[]::new)).good();
            words.addAll(List.of("--url", TestServer.shared().url()));
            assertEquals(run(words.toArray(String[]::new)).good(), overHttp, options);
        }
        String line = run("export", "-t", table, "--encoding", "utf8").failed(ExitStatus.ERROR);
        assertTrue(line.contains("ff"), line);
        run("export", "-t", "http_target/none").failed(ExitStatus.NOT_FOUND);
        run("table", "drop", table, "--yes").good();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dump http_target | the HTTP API has no snapshots",
                "cas a b --expect c | the HTTP API compares no values",
            })
    void what_http_has_not_is_refused_with_the_remedy(String command, String message) {
        String line = run(command.split(" ", -1)).failed(ExitStatus.USAGE);
        assertTrue(line.contains(message) && line.contains("thrift:// URL"), line);
    }

    @Test
    void failures_have_the_same_statuses() throws IOException {
        run("get", "a", "-t", "http_target/none").failed(ExitStatus.NOT_FOUND);
        run("get", "a", "-t", "none/t").failed(ExitStatus.NOT_FOUND);
        run("db", "drop", "http_target", "--yes").failed(ExitStatus.CONDITION_FAILED);
        run("table", "create", TABLE, "--engine", "bplus").failed(ExitStatus.CONDITION_FAILED);
        run("table", "create", "http_target/x", "--engine", "lsm", "--option", "NONE=1")
                .failed(ExitStatus.USAGE);
        String thrift = TestServer.shared().url().replace("thrift:", "http:");
        run("db", "list", "--url", thrift).failed(ExitStatus.UNAVAILABLE);
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        String closed = "http://127.0.0.1:" + port;
        String line = run("db", "list", "--url", closed).failed(ExitStatus.UNAVAILABLE);
        assertTrue(line.contains("cannot connect to " + closed) && line.contains("is a server there?"), line);
    }
}
