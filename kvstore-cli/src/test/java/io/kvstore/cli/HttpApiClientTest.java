package io.kvstore.cli;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.http.HttpApiClient;
import io.kvstore.client.ClientBatch;
import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.Statistics;
import io.kvstore.client.contract.AdminScenarios;
import io.kvstore.client.contract.BatchScenarios;
import io.kvstore.client.contract.KeyScenarios;
import io.kvstore.client.contract.LoadScenarios;
import io.kvstore.client.contract.OnBothEngines;
import io.kvstore.client.contract.ScanScenarios;
import io.kvstore.client.error.ConditionFailedException;
import io.kvstore.client.error.ConnectionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The client over HTTP plays the scenarios of clients. Three of them have steps that HTTP has no requests for. Those are left
 * out by overriding them without the annotation, and their other steps are tested here.
 */
final class HttpApiClientTest implements KeyScenarios, BatchScenarios, ScanScenarios, AdminScenarios, LoadScenarios {

    /** Not the shared server, whose tables are in memory: writes to them take no durability. */
    private final Path data;

    private final TestServer server;
    private final KVClient client;

    HttpApiClientTest() throws IOException {
        data = Files.createTempDirectory("kvstore-over-http-");
        server = TestServer.start("--data", data.toString());
        client = HttpApiClient.of(options());
    }

    private ClientOptions options() {
        URI url = URI.create(server.httpUrl());
        return ClientOptions.of(url.getHost(), url.getPort());
    }

    @Override
    public KVClient client() {
        return client;
    }

    @Override
    public String database() {
        return "over_http";
    }

    @AfterAll
    @Override
    public void leave() {
        ScanScenarios.super.leave();
        client.close();
        server.close();
        try (Stream<Path> files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> assertTrue(file.toFile().delete()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void a_value_is_compared_before_it_changes(String engine) {
        assertRefused(() -> newTable(engine).replace("a", bytes("1"), bytes("2")));
    }

    @Override
    public void a_batch_changes_two_tables(String engine) {
        assertRefused(() -> newTable(engine).remove("a", bytes("1")));
    }

    @Override
    public void a_failed_check_applies_nothing(String engine) {
        assertRefused(client::snapshot);
    }

    private static void assertRefused(Runnable call) {
        InvalidRequestException refused = fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, call::run);
        assertEquals(Outcome.REJECTED, refused.outcome());
        assertTrue(String.valueOf(refused.getMessage()).contains("thrift://"), refused::toString);
    }

    @Test
    void what_http_cannot_do_is_refused_with_the_remedy() {
        a_value_is_compared_before_it_changes("lsm");
        a_batch_changes_two_tables("lsm");
        a_failed_check_applies_nothing("lsm");
    }

    @OnBothEngines
    void conditions_are_compared_before_a_value_changes(String engine) {
        ClientTable table = newTable(engine);
        assertTrue(table.putIfAbsent("a", bytes("1")));
        assertFalse(table.putIfAbsent("a", bytes("2")));
        assertArrayEquals(bytes("1"), table.get("a"));
        assertFalse(table.putIf("b", bytes("4"), ClientCondition.exists()));
        assertTrue(table.putIf("a", bytes("5"), ClientCondition.exists()));
        assertFalse(table.removeIf("a", ClientCondition.absent()));
        assertTrue(table.removeIf("b", ClientCondition.absent()));
        assertTrue(table.removeIf("a", ClientCondition.exists()));
        assertNull(table.get("a"));
    }

    @OnBothEngines
    void a_batch_has_checks(String engine) {
        ClientTable one = newTable(engine);
        ClientTable two = newTable(engine);
        one.put("a", bytes("1"));
        ClientBatch changes = ClientBatch.in(database())
                .put(two.name(), "b", new byte[0])
                .remove(one.name(), "a")
                .check(one.name(), "a", ClientCondition.exists())
                .check(two.name(), "b", ClientCondition.absent());
        long first = client.write(changes);
        assertArrayEquals(new byte[0], two.get("b"));
        assertFalse(one.contains("a"));
        ConditionFailedException failure =
                fails(ConditionFailedException.class, ErrorCode.CONDITION_FAILED, () -> client.write(changes));
        assertEquals(0, failure.failedCheck());
        assertEquals(Outcome.FAILED, failure.outcome());
        one.put("a", bytes("2"));
        assertEquals(
                1,
                assertThrows(ConditionFailedException.class, () -> client.write(changes))
                        .failedCheck());
        assertTrue(client.write(ClientBatch.in(database()).put(one.name(), "d", bytes("4"))) > first);
    }

    @OnBothEngines
    void figures_have_the_names_that_thrift_gives(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 100);
        Statistics figures = table.stats();
        assertEquals(table.name(), figures.texts().get("table"));
        assertTrue(figures.numbers().containsKey("engine.diskBytes"), figures::toString);
        try (KVClient thrift = KVClient.connect(server.url().replace("thrift:", "kvstore:"))) {
            assertEquals(
                    thrift.table(database(), table.name()).stats().numbers().keySet(),
                    figures.numbers().keySet());
            assertEquals(thrift.table(database(), table.name()).describe(), table.describe());
        }
    }

    @Test
    void a_value_has_all_that_a_page_can_hold_and_more() {
        ClientTable table = newTable("lsm");
        byte[] large = new byte[2 << 20]; // a page has 1 MiB, or one entry
        for (String key : List.of("a", "b")) {
            table.put(key, large);
        }
        assertEquals(
                2,
                table.scan().stream()
                        .filter(entry -> large.length == value(entry.value()).length)
                        .count());
        assertEquals(
                2,
                table.getAll("a", "b").stream()
                        .filter(value -> value(value).length == large.length)
                        .count());
    }

    private static byte[] value(byte @Nullable [] value) {
        return value == null ? new byte[0] : value;
    }

    @Test
    void a_closed_client_makes_no_calls() {
        HttpApiClient closed = HttpApiClient.of(options());
        closed.ping();
        closed.close();
        closed.close();
        ConnectionFailedException failure =
                fails(ConnectionFailedException.class, ErrorCode.CONNECTION_FAILED, closed::databases);
        assertEquals(Outcome.REJECTED, failure.outcome());
    }
}
