package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.server.KillHistory.Place;
import io.kvstore.testkit.Sweeps;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Kills a server with SIGKILL again and again while clients write, and checks after every restart over the same directory
 * that each acknowledged write and delete is there, that an unanswered request was applied whole or not at all, and that
 * nothing else is there. {@code -Dkv.kill.rounds=100} kills more often, {@code -Dkv.kill.seed} chooses other moments.
 */
final class KillTest {

    private static final int ROUNDS = Integer.getInteger("kv.kill.rounds", Sweeps.count(3, 6));
    private static final long SEED = Long.getLong("kv.kill.seed", 1);
    private static final int STOPS = Sweeps.count(1, 2);
    private static final int CLIENTS = 8;
    private static final Logger LOGGER = System.getLogger(KillTest.class.getName());

    @TempDir
    private Path temp;

    private final JsonMapper mapper = new JsonMapper();
    private final Random random = new Random(SEED);
    private final List<KillClient> clients = new ArrayList<>();

    @Test
    @Timeout(3_600)
    void kill_9_loses_nothing_that_was_acknowledged() throws Exception {
        ServerProcess.Ready ready = begin();
        try (HttpClient http = client();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<@Nullable String>> running = load(threads, http, ready.port());
                ready.process().runFor(50 + random.nextInt(700));
                maintain(http, ready.port());
                ready.process().runFor(50 + random.nextInt(700));
                ready.process().kill();
                expectNoErrors(running);
                if (round % 2 == 0) {
                    killWhileItStarts();
                }
                ready = ServerProcess.start(temp.resolve("data"), temp.resolve("errors"));
                check(http, ready.port());
            }
            report("kills=" + (ROUNDS + (ROUNDS + 1) / 2));
        } finally {
            ready.process().close();
        }
    }

    @Test
    void sigterm_under_load_loses_nothing_and_ends_with_status_0() throws Exception {
        ServerProcess.Ready ready = begin();
        try (HttpClient http = client();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            for (int round = 0; round < STOPS; round++) {
                List<Future<@Nullable String>> running = load(threads, http, ready.port());
                ready.process().runFor(300);
                ready.process().terminate();
                assertEquals(0, ready.process().awaitEnd(), ready.process()::errors);
                expectNoErrors(running);
                ready = ServerProcess.start(temp.resolve("data"), temp.resolve("errors"));
                check(http, ready.port());
            }
            report("stops=" + STOPS);
        } finally {
            ready.process().close();
        }
    }

    /** Recovery itself is killed, somewhere between the start of the JVM and the first request. */
    private void killWhileItStarts() throws Exception {
        try (ServerProcess starting = ServerProcess.of(
                temp.resolve("errors"),
                "--data",
                temp.resolve("data").toString(),
                "--http-port",
                "0",
                "--thrift-port",
                "0")) {
            starting.runFor(100 + random.nextInt(900));
            starting.kill();
        }
    }

    private ServerProcess.Ready begin() throws Exception {
        ServerProcess.Ready ready = ServerProcess.start(temp.resolve("data"), temp.resolve("errors"));
        try (HttpClient http = client()) {
            send(http, ready.port(), "PUT", "/v1/databases/d", "");
            for (String table : KillClient.TABLES) {
                String level = table.startsWith("synced") ? "SYNC" : "BUFFERED";
                send(http, ready.port(), "PUT", KillClient.BASE + table, """
                        {"engine":"%s","options":{"DURABILITY":"%s"%s}}""".formatted(
                                engine(table), level, memory(engine(table))));
            }
        }
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new KillClient("c" + i, SEED * 1_000 + i));
        }
        return ready;
    }

    private static String engine(String table) {
        return table.endsWith("tree") ? "bplus" : table.endsWith("hash") ? "hash" : "lsm";
    }

    /** The option that makes the memory of a table small, if its engine has one. */
    private static String memory(String engine) {
        return switch (engine) {
            case "bplus" -> ",\"BTREE_PAGE_BUFFER_SIZE_BYTES\":131072";
            case "lsm" -> ",\"MEM_CACHE_SIZE\":131072";
            default -> "";
        };
    }

    private static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private List<Future<@Nullable String>> load(ExecutorService threads, HttpClient http, int port) {
        List<Future<@Nullable String>> running = new ArrayList<>();
        for (KillClient client : clients) {
            running.add(threads.submit(() -> client.run(http, port)));
        }
        return running;
    }

    private static void expectNoErrors(List<Future<@Nullable String>> running) throws Exception {
        for (Future<@Nullable String> one : running) {
            assertNull(one.get());
        }
    }

    /** In most rounds something else goes on while the clients write. */
    private void maintain(HttpClient http, int port) throws IOException, InterruptedException {
        String table = KillClient.BASE + KillClient.TABLES[random.nextInt(KillClient.TABLES.length)];
        switch (random.nextInt(4)) {
            case 0 -> send(http, port, "POST", "/v1:checkpoint", "");
            case 1 -> send(http, port, "POST", table + ":flush", "");
            case 2 -> send(http, port, "POST", table + ":compact", "");
            default -> {}
        }
    }

    /** Compares everything that the server has with everything that the clients were told. */
    private void check(HttpClient http, int port) throws IOException, InterruptedException {
        Map<Place, String> found = new HashMap<>();
        for (String table : KillClient.TABLES) {
            scan(http, port, table, found);
        }
        Map<Place, String> expected = new HashMap<>();
        for (KillClient client : clients) {
            assertNull(client.history().resolve(found), this::seed);
            expected.putAll(client.history().acknowledged());
        }
        for (Map.Entry<Place, String> one : expected.entrySet()) {
            assertEquals(one.getValue(), found.get(one.getKey()), () -> "lost: " + one.getKey() + ", " + seed());
        }
        assertEquals(expected.size(), found.size(), () -> "removed keys came back, " + seed());
        for (KillClient client : clients) {
            for (Map.Entry<Place, String> one : client.history().acknowledged().entrySet()) {
                if (random.nextInt(20) == 0) {
                    String path = KillClient.BASE + one.getKey().table() + "/keys/"
                            + one.getKey().key();
                    assertEquals(one.getValue(), send(http, port, "GET", path, ""));
                }
            }
        }
    }

    private void scan(HttpClient http, int port, String table, Map<Place, String> found)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(port, KillClient.BASE + table + "/entries"))
                .header("Accept", "application/x-ndjson")
                .build();
        List<String> lines = http.send(request, BodyHandlers.ofLines()).body().toList();
        for (String line : lines.subList(0, lines.size() - 1)) {
            JsonNode entry = mapper.readTree(line);
            found.put(
                    new Place(table, entry.get("key").stringValue()),
                    entry.get("value").stringValue());
        }
        assertEquals("{\"end\":true,\"count\":" + (lines.size() - 1) + "}", lines.getLast());
    }

    private static URI uri(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private static String send(HttpClient http, int port, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(port, path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        assertTrue(answer.statusCode() < 300, () -> method + " " + path + ": " + answer.body());
        return answer.body();
    }

    private String seed() {
        return "seed " + SEED;
    }

    private void report(String what) {
        long puts = sum(KillHistory::acknowledgedPuts);
        long deletes = sum(KillHistory::acknowledgedDeletes);
        String acknowledged = "acknowledged_writes=" + puts + " acknowledged_deletes=" + deletes;
        String unanswered =
                "unanswered_applied=" + sum(KillHistory::kept) + " unanswered_not_applied=" + sum(KillHistory::undone);
        LOGGER.log(Level.INFO, seed() + " " + what + " " + acknowledged + " " + unanswered + " lost=0");
    }

    private long sum(ToLongFunction<KillHistory> figure) {
        return clients.stream().map(KillClient::history).mapToLong(figure).sum();
    }
}
