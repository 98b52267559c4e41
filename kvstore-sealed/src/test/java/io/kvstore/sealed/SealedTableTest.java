package io.kvstore.sealed;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.TableFile;
import io.kvstore.TableFileBuilder;
import io.kvstore.TableFileCopy;
import io.kvstore.TableFileUpload;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.testkit.MemoryFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of a store whose contents are files. */
final class SealedTableTest {

    private static final int ENTRIES = 1_000;

    @TempDir
    private Path directory;

    private Path build(String name, String value) {
        return build(name, value, ENTRIES);
    }

    private Path build(String name, String value, int entries) {
        Path file = directory.resolve(name);
        try (TableFileBuilder builder = TableFileBuilder.create(file)) {
            for (int i = 0; i < entries; i++) {
                builder.put(key(i), bytes(value));
            }
            builder.finish();
        }
        return file;
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "key %06d", number);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "absent" : new String(bytes, StandardCharsets.UTF_8);
    }

    private KVStore open() {
        return new KVStore(directory.resolve("store"), KVStoreOptions.defaults());
    }

    private static Table create(KVStore store) {
        store.createDatabaseIfAbsent("db");
        return store.createTable("db", "t", "SEALED", new Properties());
    }

    /** Whatever the layout is, a table answers the same. */
    @ParameterizedTest
    @EnumSource
    void files_of_all_layouts_are_swapped_in(Layout layout) throws IOException {
        Path file = directory.resolve("layout.sealed");
        try (TableFileBuilder builder = TableFileBuilder.create(file, TableFileSettings.USUAL.withLayout(layout))) {
            for (int i = ENTRIES - 1; i >= 0; i--) {
                builder.put(key(i), bytes(String.format(Locale.ROOT, "%08d", i)));
            }
            assertEquals(layout.name(), builder.finish().layout());
        }
        try (KVStore store = open()) {
            Table table = create(store);
            table.files().swap(build("one.sealed", "one", 10));
            table.files().swap(file);
            assertEquals(layout.name(), requireNonNull(table.files().info()).layout());
        }
        try (KVStore store = open();
                TableFile alone = TableFile.open(file)) {
            Table table = store.table("db", "t");
            assertEquals("00000007", text(table.get(key(7))));
            assertEquals("00000007", text(alone.get(key(7))));
            assertNull(table.get("key 1"));
            KeyRange range = KeyRange.all().from(bytes(key(100)), true).to(bytes(key(900)), false);
            assertEquals(800, table.count(range));
            assertEquals(800, alone.count(range));
            try (Cursor back = table.scan(range.reverse())) {
                for (int i = 899; i >= 100; i--) {
                    assertTrue(back.next());
                    assertEquals(key(i), text(back.key()));
                }
                assertFalse(back.next());
            }
            assertEquals(List.of(), table.verify().kept());
        }
    }

    @Test
    void a_table_has_the_entries_of_the_file_that_was_swapped_in_last() throws IOException {
        try (KVStore store = open()) {
            Table table = create(store);
            assertNull(table.get("key 000001"));
            assertEquals(0, table.count(KeyRange.all()));
            assertNull(table.files().info());
            assertNull(table.files().copy());
            table.files().swap(build("one.sealed", "one"));
            assertEquals("one", text(table.get(key(1))));
            assertEquals(ENTRIES, table.count(KeyRange.all()));
            Snapshot before = store.snapshot();
            Cursor cursor = table.scan(KeyRange.all());
            assertTrue(cursor.next());
            table.files().swap(build("two.sealed", "two", 10));
            assertEquals("two", text(table.get(key(1))));
            assertNull(table.get(key(10)));
            assertEquals("one", text(before.get(table, bytes(key(10)))));
            int left = 0;
            while (cursor.next()) {
                left++;
                assertEquals("one", text(cursor.value()));
            }
            assertEquals(ENTRIES - 1, left);
            cursor.close();
            before.close();
            assertEquals(0, table.verify().total());
            assertEquals(10, requireNonNull(table.stats().engine()).entries());
        }
        try (KVStore store = open()) {
            Table table = store.table("db", "t");
            assertEquals("two", text(table.get(key(1))));
            assertEquals(10, table.count(KeyRange.all()));
            table.truncate();
            assertNull(table.get(key(1)));
            assertNull(table.files().info());
        }
        try (KVStore store = open()) {
            assertEquals(0, store.table("db", "t").count(KeyRange.all()));
            assertEquals(1, directories(directory.resolve("store")));
        }
    }

    private static long directories(Path store) throws IOException {
        try (var tables = Files.list(store.resolve("tables"))) {
            return tables.count();
        }
    }

    /** A condition that does not hold must not hide that the table takes no writes. */
    @Test
    void all_writes_are_refused() {
        for (boolean logged : List.of(true, false)) {
            try (KVStore store = KVStore.temporary()) {
                store.createDatabaseIfAbsent("db");
                Properties properties = new Properties();
                properties.put(TableConfParamsEnum.ENABLE_WAL, logged);
                Table table = store.createTable("db", "t", "SEALED", properties);
                Table other = store.createTable("db", "other", "SEALED", properties);
                table.files().swap(build("one.sealed", "one"));
                byte[] key = bytes(key(1));
                List<Executable> writes = List.of(
                        () -> table.put(key, key),
                        () -> table.remove(key),
                        () -> table.putIfAbsent(key, key),
                        () -> table.replace(key, key, key),
                        () -> table.remove(key, key),
                        () -> table.getAndPut(key, key),
                        () -> table.getAndRemove(bytes("absent")),
                        () -> table.add(key, 1),
                        () -> table.append(key, key),
                        () -> table.update(key, old -> key),
                        () -> store.write(new WriteBatch().put(table, key, key)),
                        () -> store.write(new WriteBatch()
                                .check(other, new Condition.ValueIs(key, key))
                                .put(table, key, key)));
                for (Executable write : writes) {
                    InvalidRequestException refused = assertThrows(InvalidRequestException.class, write);
                    assertEquals(
                            "table t is a SEALED table, which takes no writes: build a file of the entries that it is to"
                                    + " have (kvstore build), and swap it in",
                            refused.getMessage());
                }
                assertEquals("one", text(table.get(key)));
            }
        }
    }

    @Test
    void tables_of_other_engines_take_no_files() {
        try (KVStore store = KVStore.temporary()) {
            store.createDatabaseIfAbsent("db");
            Table table = store.createTable("db", "t", "MODEL", new Properties());
            assertEquals(
                    "table t is a MODEL table, which takes entries and no files; create a SEALED table for files",
                    assertThrows(InvalidRequestException.class, table::files).getMessage());
        }
    }

    @Test
    void a_file_that_is_damaged_or_is_none_leaves_the_old_one() throws IOException {
        Path one = build("one.sealed", "one");
        byte[] bytes = Files.readAllBytes(build("two.sealed", "two"));
        try (KVStore store = open()) {
            Table table = create(store);
            TableFileInfo info = table.files().swap(one);
            Path bad = directory.resolve("bad.sealed");
            for (int at : new int[] {0, 20, 5_000, bytes.length / 2, bytes.length - 1}) {
                byte[] damaged = bytes.clone();
                damaged[at] ^= 1;
                Files.write(bad, damaged);
                CorruptionException refused = assertThrows(
                        CorruptionException.class, () -> table.files().swap(bad));
                assertTrue(refused.file().endsWith("table.sealed"), refused.file());
            }
            Files.write(bad, new byte[0]);
            assertThrows(CorruptionException.class, () -> table.files().swap(bad));
            Files.write(
                    bad,
                    ByteBuffer.allocate(bytes.length / 2)
                            .put(bytes, 0, bytes.length / 2)
                            .array());
            assertThrows(CorruptionException.class, () -> table.files().swap(bad));
            InvalidRequestException none = assertThrows(
                    InvalidRequestException.class, () -> table.files().swap(directory.resolve("none.sealed")));
            assertEquals("there is no file " + directory.resolve("none.sealed"), none.getMessage());
            assertThrows(InvalidRequestException.class, () -> table.files().swap(directory));
            assertEquals(info.id(), requireNonNull(table.files().info()).id());
            assertEquals("one", text(table.get(key(1))));
        }
        try (KVStore _ = open()) { // sweeps what the background did not come to before the end
            assertEquals(1, directories(directory.resolve("store")));
        }
    }

    @Test
    void a_swap_is_refused_if_the_table_has_another_file_than_expected() {
        try (KVStore store = open()) {
            Table table = create(store);
            Path one = build("one.sealed", "one");
            TableFileInfo first = table.files().swap(one, "");
            assertEquals(
                    "table t has the file " + first.id() + ", not no file",
                    assertThrows(
                                    ConditionFailedException.class,
                                    () -> table.files().swap(one, ""))
                            .getMessage());
            assertThrows(ConditionFailedException.class, () -> table.files().swap(one, "0"));
            table.files().swap(build("two.sealed", "two"), first.id());
            assertEquals("two", text(table.get(key(1))));
            table.files().swap(one, null);
            assertEquals("one", text(table.get(key(1))));
        }
    }

    /** An upload that found another file than expected may be tried again, and takes no more bytes. */
    @Test
    void an_upload_is_tried_again_after_a_condition_that_did_not_hold() throws IOException {
        byte[] two = Files.readAllBytes(build("two.sealed", "two"));
        try (KVStore store = open()) {
            Table table = create(store);
            TableFileInfo one = table.files().swap(build("one.sealed", "one"));
            try (TableFileUpload upload = table.files().upload(two.length)) {
                upload.write(ByteBuffer.wrap(two));
                assertThrows(ConditionFailedException.class, () -> upload.swapIn(""));
                assertThrows(InvalidRequestException.class, () -> upload.write(ByteBuffer.wrap(two)));
                assertEquals("one", text(table.get(key(1))));
                upload.swapIn(one.id());
            }
            assertEquals("two", text(table.get(key(1))));
        }
        try (KVStore store = open()) {
            assertEquals("two", text(store.table("db", "t").get(key(1))));
            assertEquals(0, store.verify().total());
        }
    }

    @Test
    void values_that_the_table_does_not_take() {
        try (KVStore store = open()) {
            store.createDatabaseIfAbsent("db");
            for (int most : new int[] {2, 3, 4}) {
                Properties properties = new Properties();
                properties.put(TableConfParamsEnum.MAX_VALUE_BYTES, most);
                Table table = store.createTable("db", "t" + most, "SEALED", properties);
                Path file = build("three.sealed", "333");
                if (most >= 3) {
                    table.files().swap(file);
                    assertEquals("333", text(table.get(key(0))));
                } else {
                    assertEquals(
                            "the file has a value of 3 bytes; table t2 takes at most 2 (MAX_VALUE_BYTES of the table)",
                            assertThrows(
                                            InvalidRequestException.class,
                                            () -> table.files().swap(file))
                                    .getMessage());
                }
            }
        }
    }

    @Test
    void a_file_goes_to_another_table_piece_by_piece() throws IOException {
        try (KVStore store = open()) {
            Table table = create(store);
            Table other = store.createTable("db", "other", "SEALED", new Properties());
            table.files().swap(build("one.sealed", "one"));
            try (TableFileCopy copy = table.files().copy();
                    TableFileUpload upload = other.files().upload(0)) {
                assertNotNull(copy);
                table.files().swap(build("two.sealed", "two"));
                for (long at = 0; at < copy.info().fileBytes(); ) {
                    ByteBuffer piece =
                            ByteBuffer.allocate((int) Math.min(700, copy.info().fileBytes() - at));
                    copy.read(at, piece);
                    at += piece.flip().remaining();
                    upload.write(piece);
                }
                assertNull(other.get(key(1)));
                TableFileInfo info = upload.swapIn(null);
                assertEquals(copy.info().id(), info.id());
                assertThrows(InvalidRequestException.class, () -> upload.swapIn(null));
            }
            assertEquals("one", text(other.get(key(1))));
            try (TableFileUpload upload = other.files().upload(0)) {
                upload.write(ByteBuffer.wrap(new byte[10]));
            }
            assertEquals("one", text(other.get(key(1))));
        }
        try (KVStore _ = open()) { // sweeps what the background did not come to before the end
            assertEquals(2, directories(directory.resolve("store")));
        }
    }

    /** What nobody closed goes with the store. */
    @Test
    void a_store_is_closed_with_an_upload_under_way() throws IOException {
        TableFileUpload upload;
        try (KVStore store = open()) {
            Table table = create(store);
            upload = table.files().upload(0);
            upload.write(ByteBuffer.wrap(new byte[10]));
            assertEquals(2, directories(directory.resolve("store")));
        }
        assertEquals(1, directories(directory.resolve("store")));
        assertThrows(StoreClosedException.class, () -> upload.write(ByteBuffer.wrap(new byte[10])));
        upload.close();
    }

    @Test
    void in_memory_and_in_another_file_system() throws IOException {
        MemoryFileSystem.silenceNotices();
        try (KVStore store = KVStore.inMemory();
                FileSystem files = MemoryFileSystem.UNIX.make()) {
            Path one = build("one.sealed", "one");
            Table table = create(store);
            table.files().swap(one);
            assertEquals("one", text(table.get(key(1))));
            Path there = Files.write(files.getPath("/work", "one.sealed"), Files.readAllBytes(one));
            try (KVStore foreign = new KVStore(files.getPath("/work", "store"), KVStoreOptions.defaults())) {
                Table foreignTable = create(foreign);
                foreignTable.files().swap(there);
                foreignTable.files().swap(one);
                assertEquals("one", text(foreignTable.get(key(1))));
                assertEquals(ENTRIES, foreignTable.count(KeyRange.all()));
            }
            try (TableFile file = TableFile.open(there)) {
                assertEquals("one", text(file.get(key(1))));
            }
        }
    }

    @Test
    void a_file_in_the_place_of_the_one_that_was_swapped_in_is_refused() throws IOException {
        Path one = build("one.sealed", "one");
        Path same = build("same.sealed", "one");
        try (KVStore store = open()) {
            create(store).files().swap(one);
        }
        Path inStore;
        try (var found = Files.walk(directory.resolve("store"))) {
            inStore = found.filter(path -> path.endsWith("table.sealed"))
                    .findFirst()
                    .orElseThrow();
        }
        Files.delete(inStore);
        checkUnusable("the file of the table is missing");
        Files.copy(same, inStore);
        checkUnusable("it is not the file that was swapped in");
        Files.delete(inStore);
        Files.copy(one, inStore);
        try (KVStore store = open()) {
            assertEquals("one", text(store.table("db", "t").get(key(1))));
        }
    }

    private void checkUnusable(String message) {
        try (KVStore store = open()) {
            Table table = store.table("db", "t");
            CorruptionException refused = assertThrows(CorruptionException.class, () -> table.get(key(1)));
            assertTrue(String.valueOf(refused.getMessage()).contains(message), refused.getMessage());
        }
    }

    @Test
    void a_table_file_is_read_without_a_store() {
        Path one = build("one.sealed", "one");
        TableFile file = TableFile.open(one);
        assertEquals(ENTRIES, file.info().entries());
        assertArrayEquals(bytes("one"), file.get(key(0)));
        assertTrue(file.contains(key(999)));
        assertFalse(file.contains(key(1_000)));
        assertEquals(500, file.rank(bytes(key(500))));
        assertEquals(key(999), text(file.keyAt(KeyRange.all().reverse(), 0)));
        assertEquals(10, file.stream(KeyRange.prefix(bytes("key 00001"))).count());
        Cursor cursor = file.scan(KeyRange.all().limit(2).withoutValues());
        assertTrue(cursor.next());
        assertEquals(0, cursor.value().length);
        assertTrue(cursor.next());
        assertFalse(cursor.next());
        int[] visited = {0};
        file.scan(KeyRange.all()).visit((key, value) -> {
            assertEquals(3, value.remaining());
            return ++visited[0] < 400;
        });
        assertEquals(400, visited[0]);
        assertEquals(0, file.verify(Progress.NONE).total());
        Cursor shut = file.scan(KeyRange.all());
        shut.close();
        assertThrows(StoreClosedException.class, () -> shut.visit((key, value) -> true));
        Cursor open = file.scan(KeyRange.all());
        file.close();
        file.close();
        assertThrows(StoreClosedException.class, () -> file.get(key(0)));
        assertThrows(StoreClosedException.class, open::next);
        assertThrows(KVStoreException.class, () -> TableFile.open(directory.resolve("none.sealed")));
        assertThrows(KVStoreException.class, () -> TableFile.open(directory));
    }
}
