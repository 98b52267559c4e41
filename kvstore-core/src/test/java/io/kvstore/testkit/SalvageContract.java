package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.Salvage;
import io.kvstore.StorageCheck;
import io.kvstore.StoreCheck;
import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.data.Durability;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StorageException;
import io.kvstore.io.RealStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What comes back of a damaged store: nothing wrong, and what is missing is named. */
public abstract class SalvageContract {

    private static final int ENTRIES = 2_000;
    private static final int LATER = 300;

    @TempDir
    private Path temp;

    private final Map<String, byte[]> truth = new TreeMap<>();
    private final Map<String, byte[]> removed = new TreeMap<>();
    private final Random random = new Random(7);
    private DamagedCopies copies;

    protected abstract String engine();

    /** How many entries one flipped bit of a table's file may cost. */
    protected int mostLost(String file) {
        return 150;
    }

    /** Whether keys that were removed may be back when a bit of a file was flipped. If they are, the report says so. */
    protected boolean mayBringBack(String file) {
        return false;
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "key-%06d", number);
    }

    private byte[] value(int number) {
        byte[] value = new byte[number % 10 == 0 ? 1_500 : 30];
        new Random(number).nextBytes(value);
        return value;
    }

    /** A store whose table has a part of its entries in its own files and the rest in the log, as a kill leaves it. */
    @BeforeEach
    void make() throws IOException {
        Path live = temp.resolve("live");
        copies = new DamagedCopies(temp, engine());
        try (KVStore store = new KVStore(live, DamagedCopies.options())) {
            store.createDB("db");
            Table table = store.createTable("db", "t", engine());
            for (int i = 0; i < ENTRIES; i++) {
                put(table, i);
            }
            for (int i = 0; i < ENTRIES; i += 7) {
                table.remove(key(i));
                removed.put(key(i), truth.remove(key(i)));
            }
            table.flush();
            store.checkpoint();
            for (int i = ENTRIES; i < ENTRIES + LATER; i++) {
                put(table, i);
            }
            byte[] last = key(ENTRIES).getBytes(StandardCharsets.UTF_8);
            table.put(last, value(ENTRIES), Durability.SYNC);
            table.put(last, value(ENTRIES), Durability.SYNC); // says that all before it is durable
            DamagedCopies.copy(live, copies.sound());
        }
    }

    private void put(Table table, int number) {
        table.put(key(number), value(number));
        truth.put(key(number), value(number));
    }

    private void requireNothingWrong(DamagedCopies.Salvaged salvaged) {
        salvaged.entries().forEach((key, value) -> assertArrayEquals(truth.get(key), value, key));
    }

    private void takeOutRemoved(DamagedCopies.Salvaged salvaged) {
        removed.forEach((key, value) -> {
            byte[] found = salvaged.entries().remove(key);
            if (found != null) {
                assertArrayEquals(value, found, key);
                assertTrue(salvaged.losses().contains("removed"), () -> key + " is back: " + salvaged.losses());
            }
        });
    }

    private static List<Path> files(Path directory, String... parts) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.filter(Files::isRegularFile)
                    .filter(path -> Stream.of(parts).allMatch(path.toString()::contains))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void a_sound_store_comes_back_whole() throws IOException {
        assertEquals(List.of(), StoreCheck.run(copies.sound()).kept());
        DamagedCopies.Salvaged salvaged = copies.salvage(copies.sound());
        assertEquals(List.of(), salvaged.report().losses().kept());
        assertEquals(truth.keySet(), salvaged.entries().keySet());
        requireNothingWrong(salvaged);
        assertEquals(truth.size(), salvaged.report().tables().getFirst().entries());
    }

    @Test
    void a_damaged_or_missing_catalog_costs_no_entry() throws IOException {
        Path flipped = copies.damaged();
        DamagedCopies.flip(flipped.resolve("CATALOG"), 60);
        Path missing = copies.damaged();
        Files.delete(missing.resolve("CATALOG"));
        for (Path damaged : List.of(flipped, missing)) {
            assertEquals("CATALOG", StoreCheck.run(damaged).kept().getFirst().file());
            DamagedCopies.Salvaged salvaged = copies.salvage(damaged);
            assertEquals(truth.keySet(), salvaged.entries().keySet(), () -> salvaged.losses());
            requireNothingWrong(salvaged);
            assertFalse(salvaged.report().isWhole());
        }
    }

    @Test
    void several_damages_at_once_cost_little_each() throws IOException {
        Path damaged = copies.damaged();
        Path longest = files(damaged, "/tables/").stream()
                .max(Comparator.comparingLong(file -> file.toFile().length()))
                .orElseThrow();
        long size = Files.size(longest);
        for (int tenth = 2; tenth < 10; tenth += 3) {
            DamagedCopies.flip(longest, size * tenth / 10);
        }
        DamagedCopies.Salvaged salvaged = copies.salvage(damaged);
        requireNothingWrong(salvaged);
        int lost = truth.size() - salvaged.entries().size();
        assertTrue(lost <= 3 * mostLost(longest.getFileName().toString()), () -> lost + ": " + salvaged.losses());
    }

    @Test
    void places_for_the_new_store_that_are_refused() throws IOException {
        Path inside = copies.sound().resolve("new");
        assertThrows(InvalidRequestException.class, () -> Salvage.run(copies.sound(), inside, Progress.NONE));
        assertFalse(Files.exists(inside));
        Path full = Files.createDirectories(temp.resolve("full"));
        Files.writeString(full.resolve("letter"), "dear");
        assertThrows(InvalidRequestException.class, () -> Salvage.run(copies.sound(), full, Progress.NONE));
        assertThrows(InvalidRequestException.class, () -> Salvage.run(full, temp.resolve("other"), Progress.NONE));
        assertThrows(InvalidRequestException.class, () -> StoreCheck.run(temp.resolve("missing")));
    }

    @Test
    void a_damaged_log_costs_what_is_at_the_place() throws IOException {
        Path damaged = copies.damaged();
        flipInLog(damaged, key(ENTRIES + 5).getBytes(StandardCharsets.UTF_8));
        assertFalse(StoreCheck.run(damaged).kept().isEmpty());
        DamagedCopies.Salvaged salvaged = copies.salvage(damaged);
        requireNothingWrong(salvaged);
        List<String> lost = new ArrayList<>(truth.keySet());
        lost.removeAll(salvaged.entries().keySet());
        assertEquals(List.of(key(ENTRIES + 5)), lost, () -> salvaged.losses());
        assertTrue(salvaged.losses().contains("between lsn"), () -> salvaged.losses());
    }

    /** A crash or damage may have emptied it. */
    @Test
    void a_file_of_values_without_a_header_costs_its_values_alone() throws IOException {
        for (int bytes : new int[] {0, 10}) {
            Path damaged = copies.damaged();
            Path values = files(damaged, "/tables/", ".val").getFirst();
            Files.write(values, new byte[bytes]);
            assertTrue(StoreCheck.run(damaged).total() > 0);
            DamagedCopies.Salvaged salvaged = copies.salvage(damaged);
            requireNothingWrong(salvaged);
            assertTrue(salvaged.report().tables().getFirst().isRead(), () -> salvaged.losses());
            assertTrue(
                    salvaged.losses().contains(values.getFileName() + ", offset=-1, message=is too short"),
                    () -> salvaged.losses());
        }
    }

    /** Of stores without a catalog, and with one, of which the files of a table are damaged. */
    @Test
    void a_check_takes_nothing_for_damaged_that_finds_no_descriptor() throws IOException {
        for (boolean isCatalogLost : new boolean[] {true, false}) {
            Path damaged = copies.damaged();
            for (Path file : files(damaged, "/tables/")) {
                String name = file.getFileName().toString();
                if (!name.equals("LABEL") && (isCatalogLost || !name.equals("MANIFEST"))) {
                    byte[] bytes = Files.readAllBytes(file);
                    Files.write(file, Arrays.copyOf(bytes, bytes.length * 3 / 4));
                }
            }
            if (isCatalogLost) {
                Files.delete(damaged.resolve("CATALOG"));
            }
            Findings all = StorageCheck.run(RealStorage.forReading(damaged));
            assertFalse(all.kept().isEmpty());
            int opened = 0;
            while (findsNoneAfter(opened, damaged, all)) {
                opened++;
            }
            assertTrue(opened > 10, opened + " files were opened");
        }
    }

    /** Whether a check that opened so many files opens another, for which it finds no descriptor for a moment. */
    private static boolean findsNoneAfter(int opened, Path damaged, Findings all) throws IOException {
        RealStorage disk = RealStorage.forReading(damaged);
        FewDescriptors storage = new FewDescriptors(disk);
        storage.lackOneAfter(opened);
        try {
            assertEquals(all.kept(), StorageCheck.run(storage).kept(), "after " + opened);
        } catch (StorageException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("too many open files"), e::getMessage);
        }
        assertEquals(0, disk.openResources(), "after " + opened);
        return storage.refused() > 0;
    }

    /** Flips a bit of the first place in the log that has some bytes. */
    private static void flipInLog(Path store, byte[] wanted) throws IOException {
        for (Path file : files(store, "/wal/")) {
            byte[] bytes = Files.readAllBytes(file);
            for (int i = 0; i < bytes.length - wanted.length; i++) {
                if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                    DamagedCopies.flip(file, i);
                    return;
                }
            }
        }
        throw new AssertionError("the log does not have the bytes");
    }

    /** No write to a table without a log can be given a durability. What the last checkpoint of the table has comes back. */
    @Test
    void a_table_without_a_log_comes_back() throws IOException {
        Path live = temp.resolve("unlogged");
        Properties unlogged = new Properties();
        unlogged.put(TableConfParamsEnum.ENABLE_WAL, false);
        try (KVStore store = new KVStore(live, DamagedCopies.options())) {
            store.createDB("db");
            Table table = store.createTable("db", "t", engine(), unlogged);
            for (int i = 0; i < LATER; i++) {
                table.put(key(i), value(i));
            }
        }
        DamagedCopies.Salvaged salvaged = copies.salvage(live);
        assertTrue(salvaged.report().isWhole(), salvaged.losses());
        assertEquals(LATER, salvaged.entries().size());
        for (int i = 0; i < LATER; i++) {
            assertArrayEquals(value(i), salvaged.entries().get(key(i)), key(i));
        }
    }

    /** Each bit that is flipped costs little, is found by a check if it costs an entry, and never makes a wrong value. */
    @Test
    void flipped_bits_in_the_files_of_a_table() throws IOException {
        int found = 0;
        StringBuilder costly = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            Path damaged = copies.damaged();
            List<Path> files = files(damaged, "/tables/");
            Path file = files.get(i % files.size());
            long size = Files.size(file);
            if (size == 0) {
                continue;
            }
            long offset = random.nextLong(size);
            DamagedCopies.flip(file, offset);
            Findings check = StoreCheck.run(damaged);
            DamagedCopies.Salvaged salvaged = copies.salvage(damaged);
            if (mayBringBack(file.getFileName().toString())) {
                takeOutRemoved(salvaged);
            }
            requireNothingWrong(salvaged);
            int lost = truth.size() - salvaged.entries().size();
            if (lost > 0) {
                found++;
                assertTrue(check.total() > 0, file + " at " + offset + ": " + salvaged.losses());
                assertFalse(salvaged.report().isWhole(), file + " at " + offset);
            }
            if (lost > mostLost(file.getFileName().toString())) {
                costly.append(file.getFileName() + " at " + offset + " of " + size + " costs " + lost + ": "
                        + salvaged.losses() + "\n");
            }
        }
        assertTrue(found > 5, found + " of the damages cost an entry");
        assertEquals("", costly.toString());
    }
}
