package io.kvstore.server.thrift;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Table;
import io.kvstore.server.edge.OwnOrder;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.KeyRange;
import io.kvstore.thrift.Outcome;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.ServiceError;
import io.kvstore.thrift.TableInfo;
import io.kvstore.thrift.TableName;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A table that is not ordered, over Thrift. */
@ParameterizedClass
@ValueSource(strings = {"unordered_model", "hash"})
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class OwnOrderTest extends ServiceCalls {

    private static final TableName NAME = new TableName("d", OwnOrder.TABLE);
    private static final ReadOptions NEWEST = new ReadOptions();
    private static final int PAGE_ENTRIES = 7;

    private final String engine;

    OwnOrderTest(String engine) {
        this.engine = engine;
    }

    @BeforeEach
    void create() throws Exception {
        TableInfo made = client().createTable(NAME, engine, Map.of());
        assertTrue(made.isSetOrdered());
        assertFalse(made.isOrdered());
        assertEquals(made, client().describeTable(NAME));
    }

    private Table table() {
        return server().store().table("d", OwnOrder.TABLE);
    }

    private static ScanRequest request() {
        return new ScanRequest(NAME).setMaxEntries(PAGE_ENTRIES);
    }

    private static List<String> keys(ScanPage page) {
        return page.getEntries().stream()
                .map(entry -> new String(entry.getKey(), UTF_8))
                .toList();
    }

    /** Reads some pages beside a writer of other keys. Returns the continuation of the next one, or null after the last. */
    private ByteBuffer read(ByteBuffer continuation, int pages, List<String> found) throws Exception {
        ScanRequest request = new ScanRequest(NAME).setMaxEntries(OwnOrder.pageEntries());
        request.setContinuation(continuation);
        try (OwnOrder _ = new OwnOrder(table())) {
            for (int i = 0; i < pages; i++) {
                ScanPage page = client().scan(request);
                found.addAll(keys(page));
                request.setContinuation(page.bufferForContinuation());
                if (!page.isSetContinuation()) {
                    return null;
                }
            }
        }
        return request.bufferForContinuation();
    }

    @Test
    void pages_give_each_entry_once_beside_a_writer_and_over_a_restart() throws Exception {
        int entries = OwnOrder.entries(10_000);
        List<String> stayed = OwnOrder.fill(table(), entries);
        List<String> found = new ArrayList<>();
        ByteBuffer middle = read(null, entries / OwnOrder.pageEntries() / 2, found);
        assertNotNull(middle);
        restart();
        assertNull(read(middle, OwnOrder.mostPages(entries), found));
        OwnOrder.checkOnceEach(stayed, found);
    }

    private List<String> readRemovingLastKeys(ScanRequest request, int pages) throws Exception {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < pages; i++) {
            ScanPage page = client().scan(request);
            found.addAll(keys(page));
            request.setContinuation(page.bufferForContinuation());
            table().remove(found.getLast().getBytes(UTF_8));
        }
        assertFalse(request.isSetContinuation());
        return found;
    }

    @Test
    void a_page_goes_on_behind_a_key_that_was_removed() throws Exception {
        List<String> stayed = OwnOrder.fill(table(), 30);
        List<String> whole = keys(client().scan(new ScanRequest(NAME)));
        assertNotEquals(whole.stream().sorted().toList(), whole, "this tests a table in the order of keys");
        OwnOrder.checkOnceEach(stayed, whole);
        long snapshot = client().openSnapshot(0).getSnapshotId();
        assertEquals(whole, readRemovingLastKeys(request(), 5));
        assertEquals(25, client().countKeys(NAME, new KeyRange(), NEWEST));
        assertEquals(whole, readRemovingLastKeys(request().setSnapshotId(snapshot), 5));
        ReadOptions past = new ReadOptions().setSnapshotId(snapshot);
        assertEquals(30, client().countKeys(NAME, new KeyRange(), past));
        refused(() -> client().countKeys(NAME, new KeyRange().setPrefix(bytes("k")), past));
    }

    @Test
    void a_range_is_refused_in_the_words_of_the_store() throws Exception {
        OwnOrder.fill(table(), 30);
        for (KeyRange range : List.of(
                new KeyRange().setPrefix(bytes("k")),
                new KeyRange().setPrefix(bytes("")),
                new KeyRange().setStartKey(bytes("k")),
                new KeyRange().setStopKey(bytes("k")),
                new KeyRange().setStartKey(bytes("k")).setStopKey(bytes("l")))) {
            refused(() -> client().scan(request().setRange(range)));
            refused(() -> client().scan(request().setRange(range).setReversed(true)));
            refused(() -> client().countKeys(NAME, range, NEWEST));
        }
        refused(() -> client().scan(request().setReversed(true)));
        assertEquals(
                PAGE_ENTRIES, client().scan(request().setRange(new KeyRange())).getEntriesSize());
    }

    private void refused(Executable call) {
        ServiceError error = fails(ErrorCode.INVALID_REQUEST, call);
        assertEquals(OwnOrder.refusal(engine), error.getMessage());
        assertEquals(Outcome.REJECTED, error.getOutcome());
        assertFalse(error.isRetryable());
    }
}
