package io.kvstore.client.contract;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static io.kvstore.client.contract.Stage.key;
import static io.kvstore.client.contract.Stage.pattern;
import static io.kvstore.client.contract.Stage.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.ClientEntry;
import io.kvstore.client.ClientRange;
import io.kvstore.client.ClientScan;
import io.kvstore.client.ClientTable;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.TableDroppedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ranges: scans page by page, and counts. */
public interface ScanScenarios extends Stage {

    /** Entries of the larger tables: more than two pages. */
    int ENTRIES = 2_500;

    /** The keys that a scan gives. */
    static List<String> keys(TableReader table, ScanOptions options) {
        List<String> keys = new ArrayList<>();
        try (ClientScan scan = table.scan(options)) {
            for (ClientEntry entry : scan) {
                keys.add(text(entry.key()));
            }
        }
        return keys;
    }

    /** The keys of {@link Stage#fill} from one number to another, exclusive. */
    static List<String> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(Stage::key).toList();
    }

    /** Those in the other order. */
    static List<String> reversed(List<String> keys) {
        List<String> reversed = new ArrayList<>(keys);
        Collections.reverse(reversed);
        return reversed;
    }

    /** All entries, with pages of the default size and with small ones. */
    @OnBothEngines
    default void a_scan_gives_every_entry_once(String engine) {
        ClientTable table = newTable(engine);
        fill(table, ENTRIES);
        for (int page : new int[] {0, 7, 2_499, 2_500, 2_501}) {
            ScanOptions options = ScanOptions.all().withPageEntries(page);
            List<ClientEntry> entries;
            try (Stream<ClientEntry> stream = table.scan(options).stream()) {
                entries = stream.toList();
            }
            assertEquals(ENTRIES, entries.size(), () -> "pages of " + page);
            for (int i = 0; i < ENTRIES; i++) {
                ClientEntry expected = new ClientEntry(bytes(key(i)), bytes("v" + key(i)), -1);
                assertEquals(expected, entries.get(i));
            }
        }
        assertEquals(numbered(0, ENTRIES), keys(table, ScanOptions.all().withPageBytes(100)));
    }

    /** A table without an order of keys has each key once, and no ranges. */
    @Test
    default void a_hash_table_is_scanned_in_an_order_of_its_own() {
        ClientTable table = newTable("hash");
        assertFalse(table.describe().ordered());
        fill(table, 500);
        ScanOptions paged = ScanOptions.all().withPageEntries(7);
        List<String> found = keys(table, paged);
        assertEquals(numbered(0, 500), found.stream().sorted().toList());
        assertEquals(found, keys(table, ScanOptions.all()));
        assertEquals(500, table.count());
        for (ScanOptions options : List.of(
                ScanOptions.of(ClientRange.prefix("k")),
                ScanOptions.of(ClientRange.between("a", "z")),
                paged.reverse())) {
            fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.page(options));
        }
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.count(ClientRange.prefix("k")));
    }

    /** A scan of nothing. */
    @OnBothEngines
    default void a_scan_of_an_empty_table_ends_at_once(String engine) {
        ClientTable table = newTable(engine);
        assertEquals(List.of(), keys(table, ScanOptions.all()));
        assertEquals(0, table.count());
    }

    /** From the last key down. */
    @OnBothEngines
    default void a_scan_goes_backwards(String engine) {
        ClientTable table = newTable(engine);
        fill(table, ENTRIES);
        List<String> expected = reversed(numbered(0, ENTRIES));
        assertEquals(expected, keys(table, ScanOptions.all().reverse()));
        assertEquals(expected, keys(table, ScanOptions.all().reverse().withPageEntries(7)));
        ClientRange range = ClientRange.between(key(10), key(30));
        assertEquals(
                reversed(numbered(10, 30)),
                keys(table, ScanOptions.of(range).reverse().withPageEntries(7)));
    }

    /** Bounds and prefixes. */
    @OnBothEngines
    default void a_range_has_bounds(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 200);
        byte[] ten = bytes(key(10));
        byte[] forty = bytes(key(40));
        ClientRange all = ClientRange.all();
        assertRange(table, all.from(ten, true).to(forty, false), 10, 40);
        assertRange(table, all.from(ten, false).to(forty, true), 11, 41);
        assertRange(table, all.from(ten, false).to(forty, false), 11, 40);
        assertRange(table, all.from(ten, true).to(forty, true), 10, 41);
        assertRange(table, all.from(ten, true), 10, 200);
        assertRange(table, all.to(forty, false), 0, 40);
        assertRange(table, all, 0, 200);
        assertRange(table, ClientRange.prefix("k0001"), 10, 20);
        assertRange(table, ClientRange.prefix(new byte[0]), 0, 200);
        assertRange(table, ClientRange.prefix("z"), 0, 0);
        assertRange(table, ClientRange.between("k00050", "k00040"), 0, 0);
        table.put(new byte[] {(byte) 0xFF, 1}, bytes("last"));
        assertEquals(1, table.count(ClientRange.prefix(new byte[] {(byte) 0xFF})));
    }

    /** A scan and a count of a range. */
    private void assertRange(ClientTable table, ClientRange range, int from, int to) {
        assertEquals(numbered(from, to), keys(table, ScanOptions.of(range).withPageEntries(7)));
        assertEquals(to - from, table.count(range));
    }

    /** No more than was asked for. */
    @OnBothEngines
    default void a_scan_has_a_limit(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 100);
        for (int page : new int[] {0, 7, 10, 20}) {
            for (int limit : new int[] {1, 7, 20, 99, 100, 101}) {
                List<String> keys =
                        keys(table, ScanOptions.all().withPageEntries(page).withLimit(limit));
                assertEquals(numbered(0, Math.min(limit, 100)), keys);
            }
        }
        assertThrows(InvalidRequestException.class, () -> ScanOptions.all().withLimit(0));
    }

    /** Keys without their values. */
    @OnBothEngines
    default void a_scan_can_leave_values_out(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 20);
        ScanOptions options = ScanOptions.all().withoutValues().withPageEntries(7);
        List<ClientEntry> entries = new ArrayList<>();
        table.scan(options).forEach(entries::add);
        assertEquals(20, entries.size());
        for (ClientEntry entry : entries) {
            assertNull(entry.value());
            assertFalse(entry.isTooLarge());
        }
    }

    /** An entry that is too large is told by its size and does not stop the scan. */
    @OnBothEngines
    default void a_scan_goes_on_after_a_large_value(String engine) {
        ClientTable table = newTable(engine);
        table.put("a", bytes("1"));
        table.put("b", pattern(5_000));
        table.put("c", pattern(1_000));
        List<ClientEntry> entries = new ArrayList<>();
        table.scan(ScanOptions.all().withMaxValueBytes(1_000).withPageEntries(1))
                .forEach(entries::add);
        assertEquals(3, entries.size());
        assertEquals(new ClientEntry(bytes("a"), bytes("1"), -1), entries.get(0));
        assertEquals(new ClientEntry(bytes("b"), null, 5_000), entries.get(1));
        assertTrue(entries.get(1).isTooLarge());
        assertEquals(new ClientEntry(bytes("c"), pattern(1_000), -1), entries.get(2));
        assertArrayEquals(pattern(5_000), table.get(entries.get(1).key()));
    }

    /** A continuation gives the rest, and only of its own scan. */
    @OnBothEngines
    default void a_continuation_gives_the_next_page(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 20);
        ScanOptions options = ScanOptions.all().withPageEntries(15);
        EntryPage first = table.page(options);
        byte[] continuation = first.continuation();
        assertNotNull(continuation);
        assertEquals(15, first.entries().size());
        EntryPage second = table.page(options.withContinuation(continuation));
        assertNull(second.continuation());
        assertArrayEquals(bytes(key(15)), second.entries().get(0).key());
        assertEquals(5, second.entries().size());
        for (byte[] garbage : List.of(new byte[0], bytes("garbage"), pattern(100))) {
            fails(
                    InvalidRequestException.class,
                    ErrorCode.CONTINUATION_INVALID,
                    () -> table.page(options.withContinuation(garbage)));
        }
        fails(
                InvalidRequestException.class,
                ErrorCode.CONTINUATION_INVALID,
                () -> table.page(options.reverse().withContinuation(continuation)));
    }

    /** A table that is dropped ends its scans. */
    @OnBothEngines
    default void a_scan_ends_when_its_table_is_dropped(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 20);
        Iterator<ClientEntry> entries =
                table.scan(ScanOptions.all().withPageEntries(7)).iterator();
        assertArrayEquals(bytes(key(0)), entries.next().key());
        client().dropTable(database(), table.name());
        for (int i = 1; i < 7; i++) {
            assertArrayEquals(bytes(key(i)), entries.next().key());
        }
        fails(TableDroppedException.class, ErrorCode.TABLE_DROPPED, entries::next);
    }

    /** So does one that is truncated, or dropped and created again. */
    @OnBothEngines
    default void a_scan_ends_when_its_table_is_another(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 20);
        Iterator<ClientEntry> entries =
                table.scan(ScanOptions.all().withPageEntries(1)).iterator();
        entries.next();
        table.truncate();
        fails(TableDroppedException.class, ErrorCode.TABLE_DROPPED, entries::next);
        assertEquals(0, table.count());
        fill(table, 20);
        Iterator<ClientEntry> others =
                table.scan(ScanOptions.all().withPageEntries(1)).iterator();
        others.next();
        client().dropTable(database(), table.name());
        client().createTable(database(), table.name(), engine);
        fails(TableDroppedException.class, ErrorCode.TABLE_DROPPED, others::next);
    }

    /** A scan is walked once and not after its end. */
    @OnBothEngines
    default void a_scan_is_walked_once(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 3);
        ClientScan scan = table.scan();
        Iterator<ClientEntry> entries = scan.iterator();
        entries.next();
        assertThrows(IllegalStateException.class, scan::iterator);
        scan.close();
        assertThrows(IllegalStateException.class, entries::hasNext);
    }
}
