package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.SplitsContract;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;

final class BPlusSplitsTest extends SplitsContract {

    @Override
    protected TableEngineProvider provider() {
        return new BPlusEngineProvider();
    }

    @Override
    protected Properties small() {
        Properties properties = new Properties();
        properties.setProperty("BTREE_PAGE_BUFFER_SIZE_BYTES", "262144");
        properties.setProperty("BTREE_ORDER", "16");
        return properties;
    }

    @Test
    void few_pages_are_read_for_each_part() {
        Path path = Path.of("unused");
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(new SimStorage());
        try (KVStore store = new KVStore(path, options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", provider().name(), small());
            for (int i = 0; i < 20_000; i++) {
                table.put(ByteBuffer.allocate(4).putInt(i).array(), new byte[8]);
            }
        }
        int levels = 5; // of pages near the root there are few: a quarter of those below them at most
        double all = 0;
        for (int parts = 2; parts < 80; parts++) {
            try (KVStore store = new KVStore(path, options)) {
                Table table = store.table("db", "t");
                double before = Measures.of(table, "page_loads");
                int found = table.split(KeyRange.all(), parts).size();
                double loads = Measures.of(table, "page_loads") - before;
                String what = parts + " parts wanted, " + found + " found, " + loads + " pages";
                assertTrue(found == parts && loads <= 5 * parts + levels, what);
                all += loads;
            }
        }
        assertTrue(all > 0, "no split read a page");
    }
}
