package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.UnorderedModelEngineProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables without an order of keys: what they refuse, and how a caller gets through them page by page. */
final class UnorderedTablesTest {

    private static final int KEYS = 300;
    private static final String REFUSAL =
            "table t is a UNORDERED_MODEL table, which has no order of keys: scan all of it,"
                    + " or what is behind a key; ranges need LSM or BPLUS";

    private KVStore store;
    private Table table;

    @BeforeEach
    void open() {
        store = new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(new SimStorage()));
        store.createDB("db");
        table = store.createTable("db", "t", UnorderedModelEngineProvider.NAME);
        for (int i = 0; i < KEYS; i++) {
            table.put("key-" + i, new byte[] {(byte) i});
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static List<String> keys(Table table, KeyRange range) {
        try (Stream<Entry> entries = table.stream(range)) {
            return entries.map(entry -> new String(entry.key(), StandardCharsets.UTF_8))
                    .toList();
        }
    }

    private static byte[] bytes(String key) {
        return Keys.bytes(key);
    }

    @Test
    void a_table_says_whether_it_is_ordered() {
        assertFalse(table.isOrdered());
        assertTrue(store.createTable("db", "other", "model").isOrdered());
    }

    @Test
    void what_needs_an_order_is_refused_by_every_call() {
        KeyRange all = KeyRange.all();
        List<KeyRange> refused = List.of(
                all.from(bytes("a"), true),
                all.from(bytes("a"), false),
                all.to(bytes("z"), true),
                all.to(bytes("z"), false),
                KeyRange.prefix(bytes("key")),
                all.reverse(),
                all.reverse().after(bytes("key-1")));
        try (Snapshot snapshot = store.snapshot()) {
            Map<String, Consumer<KeyRange>> calls = new TreeMap<>(Map.of(
                    "scan", range -> table.scan(range).close(),
                    "stream", range -> table.stream(range).close(),
                    "count", table::count,
                    "keyAt", range -> table.keyAt(range, 0),
                    "split", range -> table.split(range, 2),
                    "snapshot scan", range -> snapshot.scan(table, range).close(),
                    "snapshot count", range -> snapshot.count(table, range)));
            calls.forEach((name, call) -> {
                for (KeyRange range : refused) {
                    InvalidRequestException refusal = assertThrows(
                            InvalidRequestException.class, () -> call.accept(range), () -> name + " of " + range);
                    assertEquals(REFUSAL, refusal.getMessage());
                }
                call.accept(all);
                call.accept(all.after(bytes("key-1")).withoutValues());
            });
        }
        assertEquals(
                REFUSAL,
                assertThrows(InvalidRequestException.class, () -> table.rank(bytes("key-1")))
                        .getMessage());
        assertEquals(List.of(KeyRange.all()), table.split(KeyRange.all(), 8));
    }

    @Test
    void all_entries_come_in_an_order_that_a_restart_keeps() {
        List<String> whole = keys(table, KeyRange.all());
        assertEquals(KEYS, new HashSet<>(whole).size());
        assertNotEquals(whole, whole.stream().sorted().toList());
        for (int i = 0; i < KEYS; i++) {
            assertEquals(whole.subList(i + 1, KEYS), keys(table, KeyRange.all().after(bytes(whole.get(i)))));
            assertEquals(KEYS - i - 1, table.count(KeyRange.all().after(bytes(whole.get(i)))));
            assertArrayEquals(bytes(whole.get(i)), table.keyAt(KeyRange.all(), i));
        }
        table.remove(whole.get(10));
        assertEquals(
                whole.subList(11, KEYS),
                keys(table, KeyRange.all().after(bytes(whole.get(10)))),
                "behind a removed key");
    }

    /** Keys that stay come once each, although others come and go between the pages. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, KEYS, 2 * KEYS})
    void pages_give_each_key_that_stays_once(int entries) {
        List<String> seen = new ArrayList<>();
        List<String> page = keys(table, KeyRange.all().limit(entries));
        int changes = 0;
        while (!page.isEmpty()) {
            seen.addAll(page);
            for (int i = 0; i < 20; i++, changes++) {
                table.put("passing-" + changes, new byte[1]);
                table.remove("passing-" + (changes - 30));
            }
            page = keys(table, KeyRange.all().after(bytes(page.getLast())).limit(entries));
        }
        seen.removeIf(key -> key.startsWith("passing-"));
        assertEquals(KEYS, seen.size());
        Set<String> distinct = new HashSet<>(seen);
        assertEquals(KEYS, distinct.size());
    }
}
