package io.kvstore.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.data.Durability;
import io.kvstore.data.Merge;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.TableDroppedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Merges and changes that return the value before, of tables without a log: they take a shorter way through the store. */
public abstract class UnloggedContract {

    private static final byte[] KEY = {7};
    private static final int APART_BYTES = 3_000;

    private final SimStorage disk = new SimStorage();
    private final KVStore store = new KVStore(
            Path.of("unused"), KVStoreOptions.defaults().withStorage(disk).withMemoryBytes(256 << 20));

    protected abstract TableEngineProvider provider();

    /** Properties with which a table moves its entries to files early. */
    protected abstract Properties small();

    private Table table() {
        Properties properties = new Properties();
        properties.putAll(small());
        properties.put(TableConfParamsEnum.ENABLE_WAL, false);
        store.createDB("db");
        return store.createTable("db", "t", provider().name(), properties);
    }

    @AfterEach
    void end() {
        store.close();
        assertEquals(0, disk.openResources());
    }

    private static byte[] text(String text) {
        return text.getBytes(US_ASCII);
    }

    private static byte[] filled(int bytes, int with) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) with);
        return value;
    }

    @Test
    void single_changes_answer() {
        Table table = table();
        assertNull(table.getAndPut(KEY, text("a")));
        assertArrayEquals(text("a"), table.getAndPut(KEY, filled(APART_BYTES, 2)));
        assertArrayEquals(filled(APART_BYTES, 2), table.getAndPut(KEY, new byte[0]));
        assertArrayEquals(new byte[0], table.getAndRemove(KEY));
        long before = store.stats().log().lastLsn();
        assertNull(table.getAndRemove(KEY));
        assertEquals(before, store.stats().log().lastLsn(), "nothing was written");
        assertFalse(table.contains(KEY));
        assertEquals(-3, table.add(KEY, -3));
        assertEquals(4, table.add(KEY, 7));
        assertEquals(2, table.append(KEY, text("x")));
        assertThrows(InvalidRequestException.class, () -> table.add(KEY, 1));
        assertThrows(InvalidRequestException.class, () -> table.patch(KEY, 3, text("y")));
        assertArrayEquals(text("4x"), table.get(KEY));
        assertThrows(InvalidRequestException.class, () -> table.merge(new Merge.Add(KEY, 1), Durability.BUFFERED));
        assertThrows(InvalidRequestException.class, () -> table.getAndPut(KEY, KEY, Durability.BUFFERED));
        store.dropTable("db", "t");
        assertThrows(TableDroppedException.class, () -> table.getAndRemove(KEY));
    }

    /** Each value that was put is taken by one exchange or one removal, or it is still there. No addition is lost. */
    @Tag("races")
    @Test
    void each_value_is_taken_once() throws Exception {
        Table table = table();
        int threads = 4;
        int rounds = 20_000;
        List<Future<List<byte[]>>> runs = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                int thread = t;
                runs.add(pool.submit(() -> {
                    List<byte[]> taken = new ArrayList<>();
                    for (int i = 0; i < rounds; i++) {
                        byte[] mine = text(thread + "/" + i);
                        byte[] before = i % 2 == 0 ? table.getAndPut(KEY, mine) : table.getAndRemove(KEY);
                        if (before != null) {
                            taken.add(before);
                        }
                        table.add("sum", thread + 1);
                    }
                    return taken;
                }));
            }
        }
        List<String> taken = new ArrayList<>();
        for (Future<List<byte[]>> run : runs) {
            run.get().forEach(value -> taken.add(new String(value, US_ASCII)));
        }
        byte[] left = table.get(KEY);
        if (left != null) {
            taken.add(new String(left, US_ASCII));
        }
        assertEquals(threads * rounds / 2, taken.size());
        assertEquals(taken.size(), taken.stream().distinct().count());
        assertEquals((1L + 2 + 3 + 4) * rounds, table.add("sum", 0));
    }
}
