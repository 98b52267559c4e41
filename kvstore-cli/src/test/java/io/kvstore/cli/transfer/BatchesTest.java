package io.kvstore.cli.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.cli.BrokenInput;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.Input;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.rows.LineLimit;
import io.kvstore.cli.rows.RowForm;
import io.kvstore.cli.rows.RowFormat;
import io.kvstore.cli.rows.RowSource;
import io.kvstore.cli.session.TableName;
import io.kvstore.client.ClientBatch;
import io.kvstore.client.KVClient;
import io.kvstore.client.embedded.EmbeddedClient;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches of entries that are taken while others are written. */
@Timeout(120)
final class BatchesTest {

    private static final byte[] VALUE = "v".getBytes(UTF_8);

    /** The sizes of the batches whose writing began, in order. */
    private final List<Integer> begun = new CopyOnWriteArrayList<>();

    private final CountDownLatch mayWrite = new CountDownLatch(1);

    /** The batch, counted from 1, that cannot be written. */
    private volatile int failing;

    @SuppressWarnings("NullAway.Init") // opened before each test
    private KVStore store;

    @SuppressWarnings("NullAway.Init") // made before each test
    private KVClient client;

    @BeforeEach
    void open() {
        store = KVStore.inMemory();
        client = EmbeddedClient.over(store);
        client.createDatabase("d");
        client.createTable("d", "t", "bplus");
    }

    @AfterEach
    void close() {
        mayWrite.countDown();
        client.close();
        store.close();
    }

    /** A client that writes when it may. */
    private KVClient slow() {
        return (KVClient) Proxy.newProxyInstance(
                BatchesTest.class.getClassLoader(), new Class<?>[] {KVClient.class}, (_, called, arguments) -> {
                    if (called.getName().equals("write")) {
                        begin((ClientBatch) arguments[0]);
                    }
                    try {
                        return called.invoke(client, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void begin(ClientBatch batch) throws InterruptedException {
        begun.add(batch.changes().size());
        assertTrue(mayWrite.await(60, TimeUnit.SECONDS));
        if (begun.size() == failing) {
            throw KVClientException.of(ErrorReport.of(ErrorCode.DISK_FULL, Outcome.FAILED, "the disk is full"), null);
        }
    }

    private Batches batches() {
        return new Batches(slow(), client.serverInfo(), "d", "t");
    }

    private static byte[] key(int number) {
        return ("k" + (100_000 + number)).getBytes(UTF_8);
    }

    private long count() {
        return client.table("d", "t").count();
    }

    @Test
    void entries_are_taken_while_a_batch_is_written() {
        try (Batches batches = batches()) {
            for (int i = 0; i < 20_000; i++) {
                batches.put(key(i), VALUE); // the write of the first ten thousand does not end
            }
            assertEquals(20_000, batches.taken());
            assertEquals(0, batches.stored());
            mayWrite.countDown();
            batches.put(key(20_000), VALUE);
            assertEquals(10_000, batches.stored());
            batches.finish();
            assertEquals(20_001, batches.stored());
            assertEquals(20_001 * 8, batches.storedBytes());
        }
        assertEquals(List.of(10_000, 10_000, 1), begun);
        assertEquals(20_001, count());
    }

    @Test
    void nothing_is_written_after_a_batch_that_failed() {
        mayWrite.countDown();
        failing = 2;
        try (Batches batches = batches()) {
            assertThrows(KVClientException.class, () -> {
                for (int i = 0; i < 50_000; i++) {
                    batches.put(key(i), VALUE);
                }
            });
            assertEquals(10_000, batches.stored());
        }
        assertEquals(2, begun.size());
        assertEquals(10_000, count());
    }

    @Test
    void a_failure_is_told_at_the_end() {
        mayWrite.countDown();
        failing = 1;
        try (Batches batches = batches()) {
            batches.put(key(0), VALUE);
            assertThrows(KVClientException.class, batches::finish);
            assertEquals(0, batches.stored());
        }
        assertEquals(0, count());
    }

    @Test
    void a_long_value_is_stored_before_another_entry_is_taken() {
        mayWrite.countDown();
        try (Batches batches = batches()) {
            batches.put(key(0), new byte[1 << 20]);
            assertEquals(1, batches.stored());
            batches.put(key(1), new byte[(1 << 20) - 7]);
            assertEquals(1, batches.stored());
            batches.finish();
        }
        assertEquals(List.of(1), begun, "the first is no batch");
    }

    /** A store takes at most 64 MiB in one batch, if it is not told otherwise. */
    @Test
    void a_value_that_a_table_takes_and_no_batch_is_stored() {
        client.createTable("d", "long", "bplus", Map.of("MAX_VALUE_BYTES", "" + (128 << 20)));
        byte[] value = new byte[(64 << 20) + 1];
        try (Batches batches = new Batches(client, client.serverInfo(), "d", "long")) {
            batches.put(key(0), VALUE);
            batches.put(key(1), value);
            batches.put(key(2), VALUE);
            batches.finish();
            assertEquals(3, batches.stored());
            assertEquals(value.length + 2L * VALUE.length + 3 * 7, batches.storedBytes());
        }
        assertEquals(3, client.table("d", "long").count());
        try (Batches batches = batches()) {
            KVClientException refused = assertThrows(KVClientException.class, () -> batches.put(key(1), value));
            assertEquals(
                    "the value has 67108865 bytes; the limit is 67108864 (MAX_VALUE_BYTES of the table, or the server,"
                            + " sets it; raise it, or leave the entry out)",
                    refused.getMessage());
        }
    }

    @Test
    void closing_waits_for_the_write_under_way_and_forgets_the_rest() throws Exception {
        Batches batches = batches();
        for (int i = 0; i < 15_000; i++) {
            batches.put(key(i), VALUE);
        }
        Thread closing = Thread.ofPlatform().start(batches::close);
        closing.join(100); // it cannot end
        assertTrue(closing.isAlive());
        closing.interrupt();
        mayWrite.countDown();
        closing.join();
        assertEquals(List.of(10_000), begun);
        assertEquals(10_000, count());
    }

    private static final class Rows {

        private final StringBuilder text = new StringBuilder();

        Rows good(int count) {
            for (int i = 0; i < count; i++) {
                text.append("{\"key\":\"k").append(i).append("\",\"value\":\"v\"}\n");
            }
            return this;
        }

        Rows bad() {
            text.append("{\"key\":7}\n");
            return this;
        }
    }

    private void load(Rows rows) throws IOException {
        load(RowFormat.NDJSON, new ByteArrayInputStream(rows.text.toString().getBytes(UTF_8)));
    }

    private void load(RowFormat format, InputStream rows) throws IOException {
        Console console = new Console(
                rows,
                OutputStream.nullOutputStream(),
                new ByteArrayOutputStream(),
                new Terminals(false, false, false),
                System::nanoTime);
        try (Input text = Input.open("-", "rows", console);
                ProgressLine progress = new ProgressLine(console, true)) {
            String _ = new ImportRun(slow(), null, new TableName("d", "t"), text, progress)
                    .run(() -> RowSource.of(format, text, RowForm.OF_ENTRIES, LineLimit.ofOption(1 << 20)));
        }
    }

    @Test
    void an_import_tells_of_the_rows_that_are_stored_before_a_bad_one() {
        mayWrite.countDown();
        CommandFailure failure = assertThrows(
                CommandFailure.class, () -> load(new Rows().good(25_000).bad()));
        assertTrue(
                String.valueOf(failure.getMessage()).endsWith("(20,000 rows before are stored)"), failure::getMessage);
        assertEquals(20_000, count());
    }

    @Test
    void an_import_tells_first_of_what_failed_first() {
        mayWrite.countDown();
        failing = 2;
        KVClientException failure = assertThrows(
                KVClientException.class, () -> load(new Rows().good(25_000).bad()));
        assertEquals("the disk is full (10,000 rows before are stored)", failure.getMessage());
        assertFalse(begun.size() > 2);
    }

    @Test
    void an_import_whose_rows_cannot_be_read_tells_of_those_that_are_stored() {
        mayWrite.countDown();
        String lines = new Rows().good(15_000).text.toString();
        String csv = "key,value\n" + "k,v\n".repeat(15_000);
        for (boolean isCsv : new boolean[] {false, true}) {
            RowFormat format = isCsv ? RowFormat.CSV : RowFormat.NDJSON;
            CommandFailure failure =
                    assertThrows(CommandFailure.class, () -> load(format, BrokenInput.behind(isCsv ? csv : lines)));
            assertEquals(
                    "standard input, the rows cannot be read: reading standard input failed: Input/output error"
                            + " (10,000 rows before are stored)",
                    failure.getMessage());
        }
    }
}
