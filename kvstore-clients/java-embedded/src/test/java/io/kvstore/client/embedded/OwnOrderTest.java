package io.kvstore.client.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientEntry;
import io.kvstore.client.ClientRange;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.Outcome;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A table that is not ordered, in the embedded client. */
@ParameterizedClass
@ValueSource(strings = {"unordered_model", "hash"})
final class OwnOrderTest {

    private static final int ENTRIES = 500;
    private static final int PAGE_ENTRIES = 7;

    private final String engine;
    private final KVStore store =
            new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(new SimStorage()));
    private final KVClient client = EmbeddedClient.over(store);
    private final ClientTable table = client.table("d", "t");

    OwnOrderTest(String engine) {
        this.engine = engine;
    }

    @BeforeEach
    void fill() {
        client.createDatabase("d");
        assertFalse(client.createTable("d", "t", engine).ordered());
        assertFalse(table.describe().ordered());
        assertTrue(client.createTable("d", "o", "model").ordered());
        ClientTable buffered = table.withDurability(ClientDurability.BUFFERED);
        for (int i = 0; i < ENTRIES; i++) {
            buffered.put("k" + i, ("v" + i).getBytes(UTF_8));
        }
    }

    @AfterEach
    void close() {
        client.close();
        store.close();
    }

    private static List<String> keys(TableReader reader, ScanOptions options) {
        return reader.scan(options).stream()
                .map(entry -> new String(entry.key(), UTF_8))
                .toList();
    }

    @Test
    void pages_go_on_behind_keys_that_were_removed() {
        List<String> whole = keys(table, ScanOptions.all());
        assertEquals(ENTRIES, new HashSet<>(whole).size());
        assertNotEquals(whole.stream().sorted().toList(), whole, "this tests a table in the order of keys");
        ScanOptions paged = ScanOptions.all().withPageEntries(PAGE_ENTRIES);
        List<String> found = new ArrayList<>();
        try (ClientSnapshot snapshot = client.snapshot()) {
            for (ClientEntry entry : table.scan(paged)) {
                found.add(new String(entry.key(), UTF_8));
                table.remove(entry.key());
            }
            assertEquals(whole, found);
            assertEquals(0, table.count());
            assertEquals(whole, keys(snapshot.table("d", "t"), paged));
            assertEquals(whole.subList(0, 20), keys(snapshot.table("d", "t"), paged.withLimit(20)));
        }
    }

    @Test
    void ranges_are_refused_in_the_words_of_the_store() {
        List<ClientRange> ranges = List.of(
                ClientRange.prefix("k"),
                ClientRange.between("a", "z"),
                ClientRange.all().from(new byte[] {'k'}, false),
                ClientRange.all().to(new byte[] {'k'}, true));
        for (ClientRange range : ranges) {
            refused(() -> table.page(ScanOptions.of(range)));
            refused(() -> table.count(range));
        }
        refused(() -> table.page(ScanOptions.all().reverse()));
        assertEquals(ENTRIES, table.count());
    }

    private void refused(Executable call) {
        InvalidRequestException refusal = assertThrows(InvalidRequestException.class, call);
        assertEquals(ErrorCode.INVALID_REQUEST, refusal.code());
        assertEquals(Outcome.REJECTED, refusal.outcome());
        assertEquals(
                "table t is a " + engine.toUpperCase(Locale.ROOT)
                        + " table, which has no order of keys: scan all of it,"
                        + " or what is behind a key; ranges need LSM or BPLUS",
                refusal.getMessage());
    }
}
