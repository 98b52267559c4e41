package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.BackupInfo;
import io.kvstore.Backups;
import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.data.KeyRange;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a server with SIGKILL again and again while it makes backups and clients write. A ledger says what was acknowledged
 * when a backup began. Each write is one batch in three tables of three engines, and the writes of a client are numbered. So a
 * store that was restored is of one moment exactly if each table has, of each client, the same numbers from 1 up without a gap.
 * {@code -Dkv.kill.rounds=20} kills more often, {@code -Dkv.kill.seed} chooses other moments.
 */
final class BackupKillTest {

    private static final int ROUNDS = Integer.getInteger("kv.kill.rounds", 3);
    private static final long SEED = Long.getLong("kv.kill.seed", 1);
    private static final int CLIENTS = 4;
    private static final int OK = 200;
    private static final List<String> ENGINES = List.of("bplus", "lsm", "hash");
    private static final String BASE = "/v1/databases/d";

    @TempDir
    private Path temp;

    private final Random random = new Random(SEED);
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** The writes of each client that were sent, and that were acknowledged. */
    private final AtomicIntegerArray sent = new AtomicIntegerArray(CLIENTS);

    private final AtomicIntegerArray acknowledged = new AtomicIntegerArray(CLIENTS);

    private int restored;

    @Test
    @Timeout(1_800)
    void a_backup_is_of_one_moment_wherever_the_server_is_killed() throws Exception {
        Path repository = temp.resolve("backups");
        ServerProcess.Ready ready = start(repository);
        try (http;
                ExecutorService threads = Executors.newCachedThreadPool()) {
            expect(send(ready.port(), "PUT", BASE, ""));
            for (String engine : ENGINES) {
                expect(send(ready.port(), "PUT", BASE + "/tables/" + engine, "{\"engine\":\"" + engine + "\"}"));
            }
            for (int round = 0; round < ROUNDS; round++) {
                int port = ready.port();
                List<Future<@Nullable String>> writing = new ArrayList<>();
                for (int client = 0; client < CLIENTS; client++) {
                    int own = client;
                    writing.add(threads.submit(() -> write(port, own)));
                }
                Future<int[]> backups = threads.submit(() -> backUp(port));
                ready.process().runFor(300 + random.nextInt(1_500));
                ready.process().kill();
                int[] before = backups.get();
                for (Future<@Nullable String> each : writing) {
                    assertNull(each.get());
                }
                checkNewest(repository, before);
                ready = start(repository);
            }
            assertTrue(restored > 0, "no backup was made in time");
        } finally {
            ready.process().close();
        }
    }

    private ServerProcess.Ready start(Path repository) throws IOException {
        return ServerProcess.of(
                        temp.resolve("errors"),
                        "--data",
                        temp.resolve("data").toString(),
                        "--http-port",
                        "0",
                        "--thrift-port",
                        "0",
                        "--memory",
                        "256M",
                        "--backups",
                        repository.toString())
                .awaitReady();
    }

    /** Writes until the server does not answer; returns what an answer says that it must not, else null. */
    private @Nullable String write(int port, int client) throws InterruptedException {
        while (true) {
            int number = sent.incrementAndGet(client);
            StringBuilder mutations = new StringBuilder();
            for (String engine : ENGINES) {
                mutations
                        .append(mutations.isEmpty() ? "" : ",")
                        .append("{\"op\":\"put\",\"table\":\"%s\",\"key\":\"%s\",\"value\":\"%s\"}"
                                .formatted(engine, key(client, number), value(number)));
            }
            try {
                HttpResponse<String> answer =
                        send(port, "POST", BASE + "/batch", "{\"mutations\":[" + mutations + "]}");
                if (answer.statusCode() != OK) {
                    return answer.statusCode() + " " + answer.body();
                }
            } catch (IOException e) {
                // whether it was applied is not known; nobody asks for this number again before the store is looked at
                return null;
            }
            acknowledged.set(client, number);
        }
    }

    private static String key(int client, int number) {
        return String.format(Locale.ROOT, "%d-%07d", client, number);
    }

    private static String value(int number) {
        return number + "." + "x".repeat(number % 700);
    }

    /** Makes backups until the server does not answer; returns what was acknowledged when the last complete one began. */
    private int[] backUp(int port) throws InterruptedException {
        int[] complete = new int[CLIENTS];
        while (true) {
            int[] before = new int[CLIENTS];
            Arrays.setAll(before, acknowledged::get);
            try {
                expect(send(port, "POST", "/v1/backups", ""));
            } catch (IOException e) {
                return complete;
            }
            complete = before;
        }
    }

    /** Restores the newest backup, and goes on with the numbers that the store of the server has. */
    private void checkNewest(Path repository, int[] atLeast) {
        if (Files.exists(repository)) {
            List<BackupInfo> all = Backups.list(repository);
            assertTrue(all.stream().allMatch(backup -> backup.damage() == null), all::toString);
            if (!all.isEmpty()) {
                assertEquals(0, Backups.verify(repository).total());
                Path target = temp.resolve("restored-" + restored++);
                Backups.restore(repository, all.getLast().id(), target);
                int[] numbers = numbersIn(target);
                for (int client = 0; client < CLIENTS; client++) {
                    assertTrue(
                            numbers[client] >= atLeast[client] && numbers[client] <= sent.get(client),
                            "client " + client + " has " + numbers[client] + " of " + atLeast[client] + " to "
                                    + sent.get(client));
                }
            }
        }
        int[] present = numbersIn(temp.resolve("data"));
        for (int client = 0; client < CLIENTS; client++) {
            assertTrue(present[client] >= acknowledged.get(client), "an acknowledged write is lost");
            sent.set(client, present[client]);
        }
    }

    /** How many writes of each client a store has; in each table all of them, with their values. */
    private static int[] numbersIn(Path directory) {
        int[][] counts = new int[ENGINES.size()][CLIENTS];
        try (KVStore store = new KVStore(directory.toFile())) {
            for (int table = 0; table < ENGINES.size(); table++) {
                int[] count = counts[table];
                int entries = 0;
                try (Cursor cursor = store.scan("d", ENGINES.get(table), KeyRange.all())) {
                    while (cursor.next()) {
                        String key = new String(cursor.key(), StandardCharsets.UTF_8);
                        int number = Integer.parseInt(key.substring(2));
                        assertEquals(value(number), new String(cursor.value(), StandardCharsets.UTF_8), key);
                        count[key.charAt(0) - '0'] = Math.max(count[key.charAt(0) - '0'], number);
                        entries++;
                    }
                }
                assertEquals(Arrays.stream(count).sum(), entries, "a write is missing below a later one");
                assertEquals(Arrays.toString(counts[0]), Arrays.toString(count), "the tables are of different moments");
            }
        }
        return counts[0];
    }

    private static void expect(HttpResponse<String> answer) {
        assertEquals(2, answer.statusCode() / 100, answer::body);
    }

    private HttpResponse<String> send(int port, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, BodyPublishers.ofString(body))
                .build();
        return http.send(request, BodyHandlers.ofString());
    }
}
