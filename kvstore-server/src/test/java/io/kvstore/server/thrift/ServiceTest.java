package io.kvstore.server.thrift;

import static io.kvstore.server.thrift.ThriftTestServer.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.ValueTag;
import io.kvstore.thrift.Batch;
import io.kvstore.thrift.Check;
import io.kvstore.thrift.Condition;
import io.kvstore.thrift.ConditionFailed;
import io.kvstore.thrift.ConditionKind;
import io.kvstore.thrift.Durability;
import io.kvstore.thrift.Entry;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.KeyRange;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.Outcome;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.ServiceError;
import io.kvstore.thrift.TableInfo;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the calls of the service do. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class ServiceTest extends ServiceCalls {

    private static final WriteOptions BUFFERED = new WriteOptions().setDurability(Durability.BUFFERED);
    private static final ReadOptions NEWEST = new ReadOptions();

    private static String text(ByteBuffer bytes) {
        return UTF_8.decode(bytes.duplicate()).toString();
    }

    private void put(String key, String value) throws Exception {
        client().put(TABLE, bytes(key), bytes(value), BUFFERED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keys_and_values_are_any_bytes_in_both_protocols(boolean compact) throws Exception {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        try (ThriftTestServer.Client other = server().client(compact)) {
            for (byte[] key : List.of(all, new byte[0], new byte[65_535])) {
                for (byte[] value : List.of(all, new byte[0], new byte[ThriftTestServer.MAX_VALUE_BYTES])) {
                    other.put(TABLE, ByteBuffer.wrap(key), ByteBuffer.wrap(value), new WriteOptions());
                    assertArrayEquals(
                            value,
                            other.get(TABLE, ByteBuffer.wrap(key), NEWEST).getValue());
                    assertTrue(other.contains(TABLE, ByteBuffer.wrap(key), NEWEST));
                }
                other.remove(TABLE, ByteBuffer.wrap(key), BUFFERED);
                assertFalse(other.get(TABLE, ByteBuffer.wrap(key), NEWEST).isSetValue());
            }
        }
    }

    @Test
    void limits_are_told_and_the_connection_goes_on() throws Exception {
        fails(ErrorCode.TOO_LARGE, () -> client().put(TABLE, ByteBuffer.allocate(65_536), bytes("v"), BUFFERED));
        ServiceError error = fails(
                ErrorCode.TOO_LARGE,
                () -> client().put(
                                TABLE,
                                bytes("k"),
                                ByteBuffer.allocate(ThriftTestServer.MAX_VALUE_BYTES + 1),
                                BUFFERED));
        assertEquals("" + ThriftTestServer.MAX_VALUE_BYTES, error.getDetails().get("limit"));
        assertEquals(Outcome.REJECTED, error.getOutcome());
        assertFalse(error.isRetryable());
        assertEquals(ThriftTestServer.MAX_FRAME_BYTES, client().serverInfo().getMaxFrameBytes());
    }

    @Test
    void many_keys_are_read_in_their_order() throws Exception {
        put("a", "1");
        put("b", "2");
        List<GetResult> results =
                client().multiGet(TABLE, List.of(bytes("b"), bytes("x"), bytes("a"), bytes("b")), NEWEST);
        assertEquals("2", text(results.get(0).bufferForValue()));
        assertFalse(results.get(1).isSetValue());
        assertEquals("1", text(results.get(2).bufferForValue()));
        assertEquals("2", text(results.get(3).bufferForValue()));
    }

    @Test
    void conditions_hold_or_not() throws Exception {
        Condition absent = new Condition(ConditionKind.ABSENT);
        assertTrue(client().putIf(TABLE, bytes("k"), bytes("1"), absent, BUFFERED));
        assertFalse(client().putIf(TABLE, bytes("k"), bytes("2"), absent, BUFFERED));
        Condition isOne = new Condition(ConditionKind.VALUE_IS).setValue(bytes("1"));
        assertTrue(client().putIf(TABLE, bytes("k"), bytes("2"), isOne, BUFFERED));
        assertFalse(client().removeIf(TABLE, bytes("k"), isOne, BUFFERED));
        GetResult tagged = client().get(TABLE, bytes("k"), new ReadOptions().setWithTag(true));
        assertEquals(ValueTag.of("2".getBytes(UTF_8)), tagged.getTag());
        Condition tag = new Condition(ConditionKind.TAG_IS).setTag(tagged.getTag());
        assertTrue(client().removeIf(TABLE, bytes("k"), tag, BUFFERED));
        assertFalse(client().removeIf(TABLE, bytes("k"), new Condition(ConditionKind.EXISTS), BUFFERED));
        fails(
                ErrorCode.INVALID_REQUEST,
                () -> client().removeIf(TABLE, bytes("k"), new Condition(ConditionKind.TAG_IS), BUFFERED));
    }

    @Test
    void a_batch_is_applied_whole_or_not_at_all() throws Exception {
        client().createTable(new TableName("d", "u"), "model", Map.of());
        put("gone", "1");
        Batch batch = new Batch(
                TABLE,
                List.of(
                        new Mutation(bytes("a")).setValue(bytes("1")),
                        new Mutation(bytes("gone")),
                        new Mutation(bytes("b")).setValue(bytes("2")).setTable("u")));
        long first = client().write(batch, BUFFERED);
        assertTrue(client().write(batch, BUFFERED) > first);
        assertEquals("1", text(client().get(TABLE, bytes("a"), NEWEST).bufferForValue()));
        assertFalse(client().contains(TABLE, bytes("gone"), NEWEST));
        assertTrue(client().contains(new TableName("d", "u"), bytes("b"), NEWEST));

        Batch checked = new Batch(TABLE, List.of(new Mutation(bytes("never")).setValue(bytes("1"))))
                .setChecks(List.of(
                        new Check(bytes("a"), new Condition(ConditionKind.EXISTS)),
                        new Check(bytes("b"), new Condition(ConditionKind.ABSENT)).setTable("u")));
        assertEquals(
                1,
                assertThrows(ConditionFailed.class, () -> client().write(checked, BUFFERED))
                        .getFailedCheck());
        assertFalse(client().contains(TABLE, bytes("never"), NEWEST));
        fails(ErrorCode.INVALID_REQUEST, () -> client().write(new Batch(TABLE, List.of()), BUFFERED));
    }

    private List<String> keys(ScanRequest request) throws Exception {
        List<String> keys = new ArrayList<>();
        while (true) {
            ScanPage page = client().scan(request);
            page.getEntries().forEach(entry -> keys.add(text(entry.bufferForKey())));
            if (!page.isSetContinuation()) {
                return keys;
            }
            request.setContinuation(page.getContinuation());
        }
    }

    private List<String> fill(int count) throws Exception {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(String.format(Locale.ROOT, "k%05d", i));
            put(keys.getLast(), "v" + i);
        }
        return keys;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 99, 100, 101})
    void a_scan_visits_every_entry_once_whatever_the_pages(int entries) throws Exception {
        List<String> keys = fill(100);
        assertEquals(keys, keys(new ScanRequest(TABLE).setMaxEntries(entries)));
        assertEquals(
                keys.reversed(),
                keys(new ScanRequest(TABLE).setMaxEntries(entries).setReversed(true)));
        KeyRange middle = new KeyRange().setStartKey(bytes("k00010")).setStopKey(bytes("k00020"));
        assertEquals(
                keys.subList(10, 20),
                keys(new ScanRequest(TABLE).setMaxEntries(entries).setRange(middle)));
        KeyRange shifted = middle.deepCopy().setStartExclusive(true).setStopInclusive(true);
        assertEquals(
                keys.subList(11, 21),
                keys(new ScanRequest(TABLE).setMaxEntries(entries).setRange(shifted)));
        KeyRange prefix = new KeyRange().setPrefix(bytes("k0005"));
        assertEquals(
                keys.subList(50, 60),
                keys(new ScanRequest(TABLE).setMaxEntries(entries).setRange(prefix)));
        assertEquals(10, client().countKeys(TABLE, prefix, NEWEST));
    }

    @Test
    void pages_are_bounded_by_bytes_and_large_values_are_told_by_size() throws Exception {
        fill(10);
        for (ScanRequest odd : List.of(
                new ScanRequest(TABLE).setMaxEntries(0),
                new ScanRequest(TABLE).setMaxEntries(Limits.PAGE_ENTRIES + 1),
                new ScanRequest(TABLE).setMaxBytes(0),
                new ScanRequest(TABLE).setMaxBytes(ThriftTestServer.MAX_FRAME_BYTES),
                new ScanRequest(TABLE).setMaxValueBytes(-1))) {
            fails(ErrorCode.INVALID_REQUEST, () -> client().scan(odd));
        }
        client().put(TABLE, bytes("k00005"), ByteBuffer.allocate(5_000), BUFFERED);
        assertEquals(1, client().scan(new ScanRequest(TABLE).setMaxBytes(1)).getEntriesSize());
        List<Entry> entries =
                client().scan(new ScanRequest(TABLE).setMaxValueBytes(4_999)).getEntries();
        assertEquals(10, entries.size());
        assertEquals(5_000, entries.get(5).getValueBytes());
        assertFalse(entries.get(5).isSetValue());
        assertFalse(entries.get(6).isSetValueBytes());
        assertTrue(client().scan(new ScanRequest(TABLE).setMaxValueBytes(5_000))
                .getEntries()
                .get(5)
                .isSetValue());
        assertNull(client().scan(new ScanRequest(TABLE).setKeysOnly(true))
                .getEntries()
                .getFirst()
                .getValue());
    }

    @Test
    void a_continuation_of_another_scan_is_refused_and_a_dropped_table_is_told() throws Exception {
        fill(10);
        ByteBuffer continuation =
                client().scan(new ScanRequest(TABLE).setMaxEntries(3)).bufferForContinuation();
        ScanRequest again = new ScanRequest(TABLE).setMaxEntries(3).setContinuation(continuation);
        assertEquals("k00003", text(client().scan(again).getEntries().getFirst().bufferForKey()));
        fails(
                ErrorCode.CONTINUATION_INVALID,
                () -> client().scan(again.deepCopy().setReversed(true)));
        fails(
                ErrorCode.CONTINUATION_INVALID,
                () -> client().scan(again.deepCopy().setRange(new KeyRange().setPrefix(bytes("k")))));
        byte[] forged = again.getContinuation();
        forged[forged.length - 1]++;
        fails(
                ErrorCode.CONTINUATION_INVALID,
                () -> client().scan(again.deepCopy().setContinuation(ByteBuffer.wrap(forged))));
        client().dropTable(TABLE);
        fails(ErrorCode.TABLE_DROPPED, () -> client().scan(again));
        fails(ErrorCode.TABLE_NOT_FOUND, () -> client().scan(new ScanRequest(TABLE)));
        client().createTable(TABLE, "model", Map.of());
        byte[] given = again.getContinuation();
        given[given.length - 1]--;
        fails(ErrorCode.TABLE_DROPPED, () -> client().scan(again.deepCopy().setContinuation(ByteBuffer.wrap(given))));
    }

    @Test
    void a_table_is_renamed_and_altered() throws Exception {
        fill(10);
        ScanRequest rest = new ScanRequest(TABLE).setMaxEntries(3);
        rest.setContinuation(client().scan(rest).getContinuation());
        TableInfo before = client().describeTable(TABLE);
        TableName renamed = new TableName(TABLE.getDatabase(), "renamed");
        TableInfo after = client().renameTable(TABLE, "renamed");
        assertEquals(before.deepCopy().setTable("renamed"), after);
        assertEquals(after, client().describeTable(renamed));
        fails(ErrorCode.TABLE_NOT_FOUND, () -> client().renameTable(TABLE, "other"));
        ScanPage page = client().scan(rest.deepCopy().setTable(renamed));
        assertEquals("k00003", text(page.getEntries().getFirst().bufferForKey()));
        fails(ErrorCode.INVALID_REQUEST, () -> client().renameTable(renamed, "a/b"));
        fails(ErrorCode.INVALID_REQUEST, () -> client().renameTable(renamed, null));
        client().createTable(TABLE, "model", Map.of());
        fails(ErrorCode.ALREADY_EXISTS, () -> client().renameTable(renamed, TABLE.getTable()));
        TableInfo altered = client().alterTable(renamed, Map.of("MAX_VALUE_BYTES", "9"));
        assertEquals("9", altered.getOptions().get("MAX_VALUE_BYTES"));
        assertEquals(altered, client().alterTable(renamed, Map.of()));
        fails(ErrorCode.TOO_LARGE, () -> client().put(renamed, bytes("k"), bytes("0123456789"), null));
        fails(ErrorCode.INVALID_REQUEST, () -> client().alterTable(renamed, Map.of("ENABLE_WAL", "false")));
        fails(ErrorCode.INVALID_REQUEST, () -> client().alterTable(renamed, null));
    }

    @Test
    void tables_are_created_described_and_dropped() throws Exception {
        assertFalse(client().createDatabase("d"));
        assertTrue(client().createDatabase("e"));
        assertEquals(List.of("d", "e"), client().databases());
        TableName name = new TableName("e", "x");
        TableInfo info = client().createTable(name, "model", Map.of("MAX_VALUE_BYTES", "100"));
        assertEquals("model", info.getEngine());
        assertTrue(info.isSetOrdered() && info.isOrdered());
        assertEquals("100", info.getOptions().get("MAX_VALUE_BYTES"));
        assertEquals(info, client().createTable(name, "model", Map.of("MAX_VALUE_BYTES", "100")));
        assertEquals(info, client().describeTable(name));
        fails(
                ErrorCode.DEFINITION_DIFFERS,
                () -> client().createTable(name, "model", Map.of("MAX_VALUE_BYTES", "101")));
        fails(ErrorCode.INVALID_REQUEST, () -> client().createTable(name, "paper", Map.of()));
        fails(
                ErrorCode.INVALID_REQUEST,
                () -> client().createTable(name, "model", Map.of("DURABILITY", "9".repeat(257))));
        fails(ErrorCode.INVALID_REQUEST, () -> client().createTable(new TableName("e", "a/b"), "model", Map.of()));
        assertEquals(List.of("x"), client().tables("e"));
        fails(ErrorCode.DATABASE_NOT_EMPTY, () -> client().dropDatabase("e"));
        client().truncateTable(name);
        client().dropTable(name);
        fails(ErrorCode.TABLE_NOT_FOUND, () -> client().describeTable(name));
        client().dropDatabase("e");
        fails(ErrorCode.DATABASE_NOT_FOUND, () -> client().tables("e"));
        fails(ErrorCode.DATABASE_NOT_FOUND, () -> client().get(name, bytes("k"), NEWEST));
    }
}
