package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --in-memory}: serves a store that leaves no file and survives no stop. */
final class InMemoryServerTest {

    private static final String TABLE = "/v1/databases/d/tables/t";

    private static final String PORTS = " --http-port 0 --thrift-port 0 --memory 16M";

    private static final int TRIES = 200;

    @TempDir
    private Path temp;

    private final HttpClient client = HttpClient.newHttpClient();

    private ServerProcess start(String options) throws IOException {
        return ServerProcess.of(temp.resolve("errors"), (options + PORTS).split(" ", -1));
    }

    private HttpResponse<String> send(ServerProcess.Ready server, String method, String path, byte[] body)
            throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .method(method, BodyPublishers.ofByteArray(body))
                .header("Content-Type", path.contains("/keys/") ? "application/octet-stream" : "application/json")
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSM", "BPLUS", "HASH"})
    void serves_without_a_file_until_it_is_full_and_again_after_removals(String engine) throws Exception {
        try (ServerProcess process = start("--in-memory --in-memory-limit 24M")) {
            ServerProcess.Ready server = process.awaitReady();
            assertTrue(server.line().endsWith(" data=memory limit_bytes=25165824"), server.line());
            assertEquals(
                    201, send(server, "PUT", "/v1/databases/d", new byte[0]).statusCode());
            byte[] logged = json("{\"engine\":\"" + engine + "\",\"options\":{\"ENABLE_WAL\":true}}");
            HttpResponse<String> refusal = send(server, "PUT", TABLE, logged);
            assertEquals(400, refusal.statusCode());
            assertTrue(refusal.body().contains("the store is in memory"), refusal.body());
            assertEquals(
                    201,
                    send(server, "PUT", TABLE, json("{\"engine\":\"" + engine + "\"}"))
                            .statusCode());
            int taken = fill(server);
            assertTrue(taken > 10, taken + " values were taken");
            assertTrue(send(server, "GET", "/metrics", new byte[0])
                    .body()
                    .contains("kvstore_memory_storage_limit_bytes 25165824"));
            assertEquals(
                    200, send(server, "GET", TABLE + "/keys/0", new byte[0]).statusCode());
            assertEquals(
                    2, send(server, "DELETE", TABLE + "?confirm=t", new byte[0]).statusCode() / 100);
            assertEquals(
                    201,
                    send(server, "PUT", TABLE, json("{\"engine\":\"" + engine + "\"}"))
                            .statusCode());
            int again = fill(server);
            for (int tries = 0; again <= taken / 2; tries++) {
                assertTrue(tries < TRIES, again + " values were taken after " + taken + " were removed");
                again = fill(server); // files of a dropped table go when the last call that uses them has ended
            }
            process.terminate();
            assertEquals(0, process.awaitEnd(), process::errors);
        }
        try (Stream<Path> files = Files.list(temp)) {
            assertEquals(1, files.count(), "only what the test keeps of standard error");
        }
    }

    /** Puts values of 256 KiB until one is refused for want of room. Returns how many were taken. */
    private int fill(ServerProcess.Ready server) throws Exception {
        for (int number = 0; ; number++) {
            HttpResponse<String> answer = put(server, number);
            for (int tries = 0; answer.statusCode() == 503 && tries < TRIES; tries++) {
                answer = put(server, number); // a HASH table does not wait for memory that a dropped table still has
            }
            if (answer.statusCode() == 507) {
                assertTrue(answer.body().contains("disk_full"), answer.body());
                return number;
            }
            assertEquals(2, answer.statusCode() / 100, answer.body());
        }
    }

    private HttpResponse<String> put(ServerProcess.Ready server, int number) throws Exception {
        return send(server, "PUT", TABLE + "/keys/" + number, new byte[256 << 10]);
    }

    @Test
    void contradictions_are_named() {
        for (String other : List.of("--durability sync", "--data x")) {
            String line = refusal("--in-memory " + other);
            assertTrue(line.contains("--in-memory") && line.contains(other.split(" ", -1)[0]), line);
        }
        assertTrue(refusal("--in-memory-limit 64M").contains("--in-memory-limit is given without --in-memory"));
        assertTrue(refusal("--in-memory --in-memory-limit 1000K")
                .contains("--in-memory-limit is 1000K; give 0 or at least 1M"));
    }

    private static String refusal(String options) {
        return ServerRun.of((options + PORTS).split(" ", -1)).expectFailure(2);
    }
}
