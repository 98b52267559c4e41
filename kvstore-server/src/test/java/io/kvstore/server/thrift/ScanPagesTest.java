package io.kvstore.server.thrift;

import static io.kvstore.server.thrift.ThriftTestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.Durability;
import io.kvstore.thrift.Entry;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.WriteOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that are made ready before they are asked for are what they would be if they were read then. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class ScanPagesTest extends ServiceCalls {

    private static final WriteOptions BUFFERED = new WriteOptions().setDurability(Durability.BUFFERED);
    private static final int ENTRIES = 1_000;
    private static final int VALUE_BYTES = 1_000;

    /** More than 64 KiB, or nothing is made ready. */
    private static final int PAGE_ENTRIES = 100;

    /** So many round trips take longer than the reading of a page. */
    private static final int PINGS = 50;

    @BeforeEach
    void fill() throws Exception {
        for (int i = 0; i < ENTRIES; i++) {
            client().put(TABLE, key(i), value(i), BUFFERED);
        }
    }

    private static ByteBuffer key(int number) {
        return bytes(String.format(Locale.ROOT, "k%05d", number));
    }

    private static ByteBuffer value(int number) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(0, number);
    }

    private static ScanRequest request() {
        return new ScanRequest(TABLE).setMaxEntries(PAGE_ENTRIES);
    }

    /** The page behind one, after the server had time to make it ready. */
    private static ScanPage next(ThriftTestServer.Client client, ScanRequest request, ScanPage before)
            throws Exception {
        for (int i = 0; i < PINGS; i++) {
            client.ping();
        }
        return client.scan(request.setContinuation(before.getContinuation()));
    }

    private static void check(ScanPage page, int from, int to) {
        List<Entry> entries = page.getEntries();
        assertEquals(to - from, entries.size());
        for (int i = from; i < to; i++) {
            assertEquals(key(i), entries.get(i - from).bufferForKey());
            assertEquals(value(i), entries.get(i - from).bufferForValue());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void all_pages_come_in_both_protocols(boolean compact) throws Exception {
        try (ThriftTestServer.Client client = server().client(compact)) {
            ScanRequest request = request();
            ScanPage page = client.scan(request);
            for (int from = 0; from < ENTRIES; from += PAGE_ENTRIES) {
                check(page, from, from + PAGE_ENTRIES);
                if (page.isSetContinuation()) {
                    page = next(client, request, page);
                }
            }
        }
    }

    @Test
    void what_was_written_since_the_page_before_is_seen() throws Exception {
        for (int written = 2; written < ENTRIES / PAGE_ENTRIES; written++) {
            ScanRequest request = request();
            ScanPage page = client().scan(request);
            for (int before = 1; before < written; before++) {
                page = next(client(), request, page);
            }
            for (int i = 0; i < PINGS; i++) {
                client().ping();
            }
            client().put(TABLE, key(written * PAGE_ENTRIES), bytes("new"), BUFFERED);
            client().remove(TABLE, key(written * PAGE_ENTRIES + 1), BUFFERED);
            page = client().scan(request.setContinuation(page.getContinuation()));
            assertEquals(bytes("new"), page.getEntries().getFirst().bufferForValue());
            assertEquals(
                    key(written * PAGE_ENTRIES + 2), page.getEntries().get(1).bufferForKey());
            fill();
        }
    }

    @Test
    void a_page_is_given_to_the_request_that_it_was_made_for() throws Exception {
        ScanRequest request = request();
        ScanPage page = next(client(), request, client().scan(request));
        check(page, PAGE_ENTRIES, 2 * PAGE_ENTRIES);
        ScanPage smaller = next(client(), request.deepCopy().setMaxEntries(7), page);
        check(smaller, 2 * PAGE_ENTRIES, 2 * PAGE_ENTRIES + 7);
        check(client().scan(request()), 0, PAGE_ENTRIES);
        assertEquals(value(5), client().get(TABLE, key(5), new ReadOptions()).bufferForValue());
        check(next(client(), request, page), 2 * PAGE_ENTRIES, 3 * PAGE_ENTRIES);
    }

    @Test
    void a_table_that_was_truncated_or_dropped_is_told() throws Exception {
        ScanRequest request = request();
        ScanPage page = next(client(), request, client().scan(request));
        ScanPage last = next(client(), request, page);
        server().edge().tables().named(TABLE.getDatabase(), TABLE.getTable()).truncate();
        fails(ErrorCode.TABLE_DROPPED, () -> next(client(), request, last));
        fill();
        ScanRequest again = request();
        ScanPage anew = next(client(), again, client().scan(again));
        client().dropTable(TABLE);
        fails(ErrorCode.TABLE_DROPPED, () -> next(client(), again, anew));
        client().createTable(TABLE, "model", Map.of());
        fails(ErrorCode.TABLE_DROPPED, () -> client().scan(again));
    }

    @Test
    void a_snapshot_shows_what_it_saw_until_it_ends() throws Exception {
        long snapshot = client().openSnapshot(0).getSnapshotId();
        ScanRequest request = request().setSnapshotId(snapshot);
        ScanPage page = client().scan(request);
        for (int from = PAGE_ENTRIES; from < 5 * PAGE_ENTRIES; from += PAGE_ENTRIES) {
            client().put(TABLE, key(from), bytes("new"), BUFFERED);
            page = next(client(), request, page);
            check(page, from, from + PAGE_ENTRIES);
        }
        ScanPage last = page;
        client().closeSnapshot(snapshot);
        fails(ErrorCode.SNAPSHOT_EXPIRED, () -> next(client(), request, last));
    }

    @Test
    void a_page_that_nobody_asks_for_is_made_ready_and_dropped_after_a_while() throws Exception {
        ScanRequest request = request();
        ScanPage page = next(client(), request, client().scan(request));
        awaitBudget(true);
        awaitBudget(false);
        check(next(client(), request, page), 2 * PAGE_ENTRIES, 3 * PAGE_ENTRIES);
    }

    @Test
    void two_pages_are_made_ready_at_most() throws Exception {
        ScanRequest request = request();
        ScanPage page = client().scan(request);
        client().scan(request.setContinuation(page.getContinuation()));
        awaitBudget(true);
        long most = 0;
        for (int i = 0; i < PINGS; i++) {
            client().ping();
            most = Math.max(most, server().server().budgetUsedBytes());
        }
        assertTrue(most < 3 * PAGE_ENTRIES * VALUE_BYTES, most + " bytes");
        awaitBudget(false);
    }

    private void awaitBudget(boolean isUsed) throws Exception {
        long end = System.nanoTime() + ThriftTestServer.TIMEOUT_MILLIS * 1_000_000L;
        while (server().server().budgetUsedBytes() != 0 != isUsed && System.nanoTime() - end < 0) {
            client().ping();
        }
        assertEquals(isUsed, server().server().budgetUsedBytes() != 0);
    }

    @Test
    void nothing_is_kept_for_a_client_that_left_in_the_middle() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (ThriftTestServer.Client client = server().client()) {
                ScanRequest request = request();
                ScanPage page = client.scan(request);
                page = client.scan(request.setContinuation(page.getContinuation()));
                assertNotNull(page.getContinuation());
            }
        }
        awaitBudget(false);
        assertTrue(client().contains(TABLE, key(0), new ReadOptions()));
    }
}
