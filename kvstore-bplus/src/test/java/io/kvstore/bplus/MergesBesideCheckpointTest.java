package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.file.PageStore;
import io.kvstore.data.KeyRange;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * While a checkpoint is written, the file has the pages of two states. Pages that merges write meanwhile come on top, and are
 * few. Here a checkpoint stops before its commit, while a writer overwrites the table several times.
 */
final class MergesBesideCheckpointTest {

    private static final long BUFFER_BYTES = 256 << 10;

    /** As {@code Slack} has it for a page buffer of that size. */
    private static final long SLACK_BYTES = 8 * BUFFER_BYTES / 2;

    /** The pages of a few changes, and those that say where pages are. */
    private static final long FEW_BYTES = 256 << 10;

    private static final int KEYS = 40_000;
    private static final int TIMES = 3;
    private static final long STOPPED_MILLIS = 1_000;
    private static final long JOIN_MILLIS = 240_000;

    private final SimStorage disk = new SimStorage();
    private final AtomicReference<@Nullable Thread> writer = new AtomicReference<>();
    private volatile @Nullable Runnable atCommit;
    private volatile long mostBytes;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Long.BYTES)
                .putLong(number * 0x9E3779B97F4A7C15L)
                .array();
    }

    /** The first sync of pages after {@link #atCommit} was set stops for a while. */
    private Storage storage() {
        return HookedStorage.over(disk, (name, path, proceed) -> {
            Runnable work = atCommit;
            if (work != null && name.equals("sync") && path.endsWith(PageStore.NAME)) {
                atCommit = null;
                work.run();
                mostBytes = disk.sizeOf(path);
            }
            return proceed.call();
        });
    }

    private void overwriteMeanwhile(Table table) {
        SplittableRandom random = new SplittableRandom(1);
        Thread thread = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < TIMES * KEYS; i++) {
                table.put(key(random.nextInt(KEYS)), new byte[100]);
            }
        });
        writer.set(thread);
        join(thread, STOPPED_MILLIS);
    }

    private static void join(Thread thread, long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void few_pages_are_written_while_a_checkpoint_is() throws IOException {
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, BUFFER_BYTES);
        properties.put("ENABLE_WAL", false);
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(storage());
        try (KVStore store = new KVStore(Path.of("unused"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "BPLUS", properties);
            for (int i = 0; i < 2 * KEYS; i++) {
                table.put(key(i % KEYS), new byte[100]);
                if (i == KEYS) {
                    table.flush();
                }
            }
            long pagesBytes = PageFile.UNIT_BYTES * (long) Measures.of(table, "pages");
            atCommit = () -> overwriteMeanwhile(table);
            table.flush();
            Thread thread = Objects.requireNonNull(writer.get(), "no checkpoint was seen");
            join(thread, JOIN_MILLIS);
            assertFalse(thread.isAlive());
            long allowed = 2 * pagesBytes + SLACK_BYTES + FEW_BYTES;
            assertTrue(mostBytes > pagesBytes, mostBytes + " bytes were never looked at");
            assertTrue(mostBytes <= allowed, mostBytes + " bytes for pages of " + pagesBytes + ", at most " + allowed);
            assertEquals(KEYS, table.count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
    }
}
