package io.kvstore.client.e2e;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static io.kvstore.client.contract.Stage.pattern;
import static io.kvstore.client.contract.Stage.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvstore.client.ClientEntry;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.contract.AdminScenarios;
import io.kvstore.client.contract.BackupScenarios;
import io.kvstore.client.contract.BatchScenarios;
import io.kvstore.client.contract.KeyScenarios;
import io.kvstore.client.contract.LoadScenarios;
import io.kvstore.client.contract.OnBothEngines;
import io.kvstore.client.contract.ScanScenarios;
import io.kvstore.client.contract.SnapshotScenarios;
import io.kvstore.client.error.ConnectionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.TooLargeException;
import io.kvstore.client.error.UnauthenticatedException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** All scenarios over the network, and those that need one. Run by {@link EndToEnd}. */
final class NetworkScenarios
        implements KeyScenarios,
                BatchScenarios,
                ScanScenarios,
                SnapshotScenarios,
                AdminScenarios,
                BackupScenarios,
                LoadScenarios {

    /** Less than the time that a call to a port without a server may take: it is refused, and does not wait. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final String address = Objects.requireNonNull(System.getProperty(EndToEnd.ADDRESS), EndToEnd.ADDRESS);
    private final @Nullable String token = System.getProperty(EndToEnd.TOKEN);
    private final String database = "e2e_java_" + HexFormat.of().toHexDigits(new SecureRandom().nextInt());
    private final ClientOptions options =
            ClientOptions.parse("kvstore://" + address + "?pool=4").withToken(token);
    private final KVClient client = KVClient.connect(options);

    @Override
    public KVClient client() {
        return client;
    }

    @Override
    public String database() {
        return database;
    }

    @AfterAll
    @Override
    public void leave() {
        ScanScenarios.super.leave();
        client.close();
    }

    @OnBothEngines
    void a_request_over_the_frame_is_refused(String engine) {
        ClientTable table = newTable(engine);
        byte[] value = new byte[client.serverInfo().maxFrameBytes() + 1];
        fails(TooLargeException.class, ErrorCode.TOO_LARGE, () -> table.put("large", value));
        table.put("small", bytes("1"));
        assertArrayEquals(bytes("1"), table.get("small"));
    }

    @OnBothEngines
    void an_answer_over_the_limit_of_the_client_is_refused(String engine) {
        ClientTable table = newTable(engine);
        table.put("large", pattern(1 << 20));
        table.put("small", bytes("1"));
        try (KVClient modest = KVClient.connect(options.withMaxFrameBytes(100_000))) {
            ClientTable same = modest.table(database, table.name());
            assertThrows(ConnectionFailedException.class, () -> same.get("large"));
            assertArrayEquals(bytes("1"), same.get("small"));
        }
    }

    @Test
    void nobody_listens() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (KVClient lonely =
                KVClient.connect(ClientOptions.of("127.0.0.1", port).withTimeoutMillis(600_000))) {
            assertTimeoutPreemptively(LONGEST, () -> {
                ClientTable table = lonely.table("d", "t");
                fails(ConnectionFailedException.class, ErrorCode.CONNECTION_FAILED, () -> table.get("a"));
                fails(ConnectionFailedException.class, ErrorCode.CONNECTION_FAILED, () -> table.put("a", bytes("1")));
                fails(ConnectionFailedException.class, ErrorCode.CONNECTION_FAILED, lonely::snapshot);
            });
        }
    }

    @Test
    void a_url_must_be_right() {
        for (String url : List.of(
                "http://" + address, address, "kvstore://", "kvstore://" + address + "?pools=4", "kvstore://a:b")) {
            assertThrows(InvalidRequestException.class, () -> KVClient.connect(url), url);
        }
    }

    @Test
    void a_closed_client_is_over() {
        KVClient closed = KVClient.connect(options);
        ClientSnapshot snapshot = closed.snapshot();
        TableReader reader = snapshot.table(database, "t");
        assertTrue(closed.databases().contains(database));
        closed.close();
        closed.close();
        assertThrows(ConnectionFailedException.class, closed::databases);
        assertThrows(KVClientException.class, () -> reader.get("a"));
        snapshot.close();
    }

    @Test
    void tokens_are_checked() {
        assumeTrue(token != null, "the server has no token");
        try (KVClient stranger = KVClient.connect("kvstore://" + address)) {
            assertThrows(UnauthenticatedException.class, stranger::databases);
            assertThrows(UnauthenticatedException.class, () -> stranger.createDatabase("d"));
        }
        try (KVClient stranger = KVClient.connect(options.withToken("x".repeat(32)))) {
            assertThrows(UnauthenticatedException.class, stranger::databases);
            assertThrows(UnauthenticatedException.class, stranger::databases);
            assertThrows(UnauthenticatedException.class, stranger::snapshot);
        }
        String encoded = URLEncoder.encode(Objects.requireNonNull(token), StandardCharsets.UTF_8);
        try (KVClient friend = KVClient.connect("kvstore://" + encoded + "@" + address)) {
            assertTrue(friend.databases().contains(database));
        }
    }

    @Test
    void restart() throws Exception {
        String command = System.getenv("KVSTORE_E2E_RESTART");
        assumeTrue(command != null, "KVSTORE_E2E_RESTART is not set");
        ClientTable table = newTable("lsm");
        fill(table, ENTRIES);
        List<String> keys = new ArrayList<>();
        Iterator<ClientEntry> entries =
                table.scan(ScanOptions.all().withPageEntries(100)).iterator();
        try (ClientSnapshot snapshot = client.snapshot()) {
            while (entries.hasNext()) {
                keys.add(text(entries.next().key()));
                if (keys.size() == 250) {
                    run(Objects.requireNonNull(command));
                }
            }
            TableReader old = snapshot.table(database, table.name());
            assertThrows(KVClientException.class, () -> old.get("a"));
            assertThrows(KVClientException.class, () -> old.get("a"));
        }
        assertEquals(ScanScenarios.numbered(0, ENTRIES), keys);
        table.put("after", bytes("1"));
        assertFalse(new CountDownLatch(1).await(1_100, TimeUnit.MILLISECONDS), "idle for over a second");
        run(Objects.requireNonNull(command));
        table.put("after", bytes("2"));
        assertArrayEquals(bytes("2"), table.get("after"));
        assertFalse(table.putIfAbsent("after", bytes("3")));
    }

    private static void run(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("/bin/sh", "-c", command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(0, process.waitFor(), "the command of KVSTORE_E2E_RESTART failed");
    }
}
