package io.kvstore.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.data.TableProperties;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageDirectory;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.Documents;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The catalog: one of two states after a crash, every flipped bit noticed, ids never twice. */
final class CatalogTest {

    private static final TableProperties PROPERTIES =
            new TableProperties(Map.of("ENABLE_WAL", "true", "DURABILITY", "SYNC"));

    private final SimStorage disk = new SimStorage();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private Catalog create() throws IOException {
        Catalog.create(disk, 1, 2, 1);
        return Catalog.open(disk, failure::set);
    }

    private static TableInfo table(int id) {
        return new TableInfo(id, "db", "t" + id, "LSM", PROPERTIES, id * 100L, 0);
    }

    @Test
    void what_it_says_survives_a_power_loss() throws IOException {
        Catalog catalog = create();
        catalog.addDatabase("db");
        catalog.addTable(table(catalog.takeTableId()));
        catalog.addTable(table(catalog.takeTableId()));
        catalog.replaceTable(1, table(catalog.takeTableId()));
        catalog.checkpointed(Map.of(2, 500L, 3, 7L, 99, 1L), 4, 6);
        catalog.logSegmentMade(8);
        CatalogState state = Catalog.open(disk.crash(new CrashChoice.DropAll()), failure::set)
                .state();
        assertEquals(catalog.state(), state);
        assertEquals(500, checkpointOf(state, 2));
        assertEquals(300, checkpointOf(state, 3), "a checkpoint lsn does not go back");
        assertEquals(4, state.firstLogSegment());
        assertEquals(4, state.nextTableId());
        assertNull(failure.get());
    }

    private static long checkpointOf(CatalogState state, int id) {
        TableInfo info = state.tables().get(id);
        return info == null ? -1 : info.checkpointLsn();
    }

    @Test
    void each_change_has_a_greater_revision_also_in_a_catalog_without_one() throws IOException {
        Catalog catalog = create();
        assertEquals(1, catalog.state().revision());
        catalog.addDatabase("db");
        assertEquals(2, catalog.state().revision());
        disk.replace(Catalog.FILE, ofVersionTwo(disk.bytes(Catalog.FILE)));
        Catalog old = Catalog.open(disk, failure::set);
        assertEquals(catalog.state().withRevision(0), old.state());
        old.addDatabase("other");
        assertEquals(1, Catalog.open(disk, failure::set).state().revision());
    }

    /** The same catalog as the version before wrote it: without the revision behind the identity of the store. */
    private static byte[] ofVersionTwo(byte[] bytes) {
        int at = FileHeader.BYTES + 2 * Long.BYTES;
        ByteWriter out = new ByteWriter(bytes.length);
        new FileHeader("KVCATALG", "catalog", 2).write(out, 0);
        out.raw(Arrays.copyOfRange(bytes, FileHeader.BYTES, at));
        out.raw(Arrays.copyOfRange(bytes, at + Long.BYTES, bytes.length - Integer.BYTES));
        out.checksumFrom(0);
        return out.toArray();
    }

    @Test
    void every_flipped_bit_is_noticed() throws IOException {
        Catalog catalog = create();
        catalog.addDatabase("db");
        catalog.addTable(table(catalog.takeTableId()));
        byte[] bytes = disk.bytes(Catalog.FILE);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace(Catalog.FILE, flipped);
            assertThrows(KVStoreException.class, () -> Catalog.open(disk, failure::set), "bit " + bit);
        }
        for (int length = 0; length < bytes.length; length++) {
            disk.replace(Catalog.FILE, Arrays.copyOf(bytes, length));
            assertThrows(KVStoreException.class, () -> Catalog.open(disk, failure::set), "length " + length);
        }
    }

    @Test
    void a_failed_change_is_none_or_final() throws IOException {
        FaultyStorage faulty = new FaultyStorage(disk);
        Catalog.create(faulty, 1, 2, 1);
        failEach(faulty, at -> faulty.arm(FaultPlan.ioError(at)), faulty::disarm);
    }

    /** Not only I/O fails: whoever finds the change undone takes its files away. */
    @Test
    void a_change_that_an_error_ends_is_none_or_final() throws IOException {
        Catalog.create(disk, 1, 2, 1);
        failEach(disk, at -> disk.observe(planted(at)), () -> disk.observe(() -> {}));
    }

    /** The table is listed then. A caller that takes the change for undone deletes the files of that table. */
    @Test
    void a_change_is_made_even_if_its_directory_cannot_be_closed() throws IOException {
        Catalog.create(disk, 1, 2, 1);
        Storage storage = (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (_, method, arguments) -> {
                    Object result = method.invoke(disk, arguments);
                    return result instanceof StorageDirectory directory ? new Unclosable(directory) : result;
                });
        Catalog catalog = Catalog.open(storage, failure::set);
        catalog.addDatabase("db");
        assertTrue(catalog.state().databases().contains("db"));
        assertTrue(Catalog.open(disk, failure::set).state().databases().contains("db"));
        assertNull(failure.get());
    }

    private record Unclosable(StorageDirectory directory) implements StorageDirectory {

        @Override
        public void sync() throws IOException {
            directory.sync();
        }

        @Override
        public void close() {
            directory.close();
            throw new OutOfMemoryError("planted");
        }
    }

    private static Runnable planted(int at) {
        int[] left = {at};
        return () -> {
            if (left[0]-- == 0) {
                throw new OutOfMemoryError("planted");
            }
        };
    }

    private void failEach(Storage storage, IntConsumer arm, Runnable disarm) throws IOException {
        int finals = 0;
        boolean isHit = true;
        for (int at = 0; isHit && at < 30; at++) {
            AtomicReference<@Nullable Throwable> told = new AtomicReference<>();
            Catalog catalog = Catalog.open(storage, told::set);
            CatalogState before = catalog.state();
            String name = "db" + at;
            arm.accept(at);
            try {
                catalog.addDatabase(name);
                isHit = false;
            } catch (IOException | OutOfMemoryError e) {
                assertEquals(before, catalog.state());
            }
            disarm.run();
            boolean changed = Catalog.open(disk, told::set).state().databases().contains(name);
            assertTrue(!isHit || told.get() != null || !changed, "operation " + at);
            finals += told.get() != null ? 1 : 0;
        }
        assertTrue(finals > 0);
    }

    @Test
    void ids_are_used_up_even_by_failures() throws IOException {
        Catalog catalog = create();
        int lost = catalog.takeTableId();
        catalog.addTable(table(catalog.takeTableId()));
        assertTrue(Catalog.open(disk, failure::set).takeTableId() > lost + 1);
    }

    @Test
    void the_document_says_what_the_code_writes() throws IOException {
        String text = Documents.section("docs/file-formats.md", "## Catalog");
        assertTrue(text.contains(
                "Magic `" + CatalogFormat.HEADER.magic() + "`, version " + CatalogFormat.HEADER.version()));
        assertTrue(text.contains("At most " + (CatalogFormat.MAX_BYTES >> 20) + " MiB"));
    }
}
