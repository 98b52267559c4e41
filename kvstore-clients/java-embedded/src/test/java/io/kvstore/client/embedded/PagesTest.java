package io.kvstore.client.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.error.TableDroppedException;
import org.junit.jupiter.api.Test;

/** Pages beside other calls. */
final class PagesTest {

    private static final byte[] VALUE = "v".getBytes(UTF_8);

    @Test
    void no_page_goes_on_in_a_table_that_was_truncated_while_it_began() {
        try (KVStore store = KVStore.inMemory()) {
            store.createDB("d");
            Table table = store.createTable("d", "t", "bplus");
            table.put("a", VALUE);
            table.put("b", VALUE);
            ScanOptions options = ScanOptions.all().withPageEntries(1);
            EntryPage first = Pages.read(table, options, table::scan);
            assertEquals(1, first.entries().size());
            ScanOptions next = options.withContinuation(first.continuation());
            assertThrows(
                    TableDroppedException.class,
                    () -> Pages.read(table, next, range -> {
                        table.truncate();
                        table.put("c", VALUE);
                        return table.scan(range);
                    }));
            assertEquals(0, store.stats().openSnapshots());
        }
    }
}
