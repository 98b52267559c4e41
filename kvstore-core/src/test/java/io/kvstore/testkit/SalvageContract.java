package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Salvage;
import io.kvstore.SalvageReport;
import io.kvstore.StoreCheck;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    private int copies;

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

    private Path sound() {
        return temp.resolve("sound");
    }

    /** A store whose table has a part of its entries in its own files and the rest in the log, as a kill leaves it. */
    @BeforeEach
    void make() throws IOException {
        Path live = temp.resolve("live");
        KVStoreOptions options = KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withMemoryBytes(32 << 20)
                .withWalSegmentBytes(256 << 10);
        try (KVStore store = new KVStore(live, options)) {
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
            copy(live, sound());
        }
    }

    private void put(Table table, int number) {
        table.put(key(number), value(number));
        truth.put(key(number), value(number));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }

    private Path damagedCopy() throws IOException {
        Path copy = temp.resolve("damaged" + copies++);
        copy(sound(), copy);
        return copy;
    }

    private static void flip(Path file, long offset) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(offset);
            int old = bytes.read();
            bytes.seek(offset);
            bytes.write(old ^ 0x10);
        }
    }

    private record Salvaged(SalvageReport report, Map<String, byte[]> entries) {}

    /** Salvages, and checks that the source has not changed. */
    private Salvaged salvage(Path damaged) throws IOException {
        Map<String, byte[]> before = contents(damaged);
        Path target = temp.resolve("new" + copies++);
        SalvageReport report = Salvage.run(damaged, target, Progress.NONE);
        Map<String, byte[]> after = contents(damaged);
        assertEquals(before.keySet(), after.keySet());
        before.forEach((name, bytes) -> assertArrayEquals(bytes, after.get(name), name));
        Map<String, byte[]> entries = new HashMap<>();
        try (KVStore store = new KVStore(target, KVStoreOptions.defaults().withMemoryBytes(16 << 20))) {
            if (store.databases().contains("db") && store.tables("db").contains("t")) {
                Table table = store.table("db", "t");
                assertEquals(engine(), table.engineName());
                try (Cursor cursor = table.scan(KeyRange.all())) {
                    while (cursor.next()) {
                        entries.put(new String(cursor.key(), StandardCharsets.UTF_8), cursor.value());
                    }
                }
                assertEquals(List.of(), table.verify().kept());
            }
        }
        return new Salvaged(report, entries);
    }

    private static Map<String, byte[]> contents(Path directory) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                contents.put(directory.relativize(path).toString(), Files.readAllBytes(path));
            }
        }
        return contents;
    }

    private void requireNothingWrong(Salvaged salvaged) {
        salvaged.entries().forEach((key, value) -> assertArrayEquals(truth.get(key), value, key));
    }

    private void takeOutRemoved(Salvaged salvaged) {
        removed.forEach((key, value) -> {
            byte[] found = salvaged.entries().remove(key);
            if (found != null) {
                assertArrayEquals(value, found, key);
                assertTrue(losses(salvaged).contains("removed"), () -> key + " is back: " + losses(salvaged));
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
        assertEquals(List.of(), StoreCheck.run(sound()).kept());
        Salvaged salvaged = salvage(sound());
        assertEquals(List.of(), salvaged.report().losses().kept());
        assertEquals(truth.keySet(), salvaged.entries().keySet());
        requireNothingWrong(salvaged);
        assertEquals(truth.size(), salvaged.report().tables().getFirst().entries());
    }

    @Test
    void a_damaged_or_missing_catalog_costs_no_entry() throws IOException {
        Path flipped = damagedCopy();
        flip(flipped.resolve("CATALOG"), 60);
        Path missing = damagedCopy();
        Files.delete(missing.resolve("CATALOG"));
        for (Path damaged : List.of(flipped, missing)) {
            assertEquals("CATALOG", StoreCheck.run(damaged).kept().getFirst().file());
            Salvaged salvaged = salvage(damaged);
            assertEquals(truth.keySet(), salvaged.entries().keySet(), () -> losses(salvaged));
            requireNothingWrong(salvaged);
            assertFalse(salvaged.report().isWhole());
        }
    }

    @Test
    void several_damages_at_once_cost_little_each() throws IOException {
        Path damaged = damagedCopy();
        Path longest = files(damaged, "/tables/").stream()
                .max(Comparator.comparingLong(file -> file.toFile().length()))
                .orElseThrow();
        long size = Files.size(longest);
        for (int tenth = 2; tenth < 10; tenth += 3) {
            flip(longest, size * tenth / 10);
        }
        Salvaged salvaged = salvage(damaged);
        requireNothingWrong(salvaged);
        int lost = truth.size() - salvaged.entries().size();
        assertTrue(lost <= 3 * mostLost(longest.getFileName().toString()), () -> lost + ": " + losses(salvaged));
    }

    @Test
    void places_for_the_new_store_that_are_refused() throws IOException {
        Path inside = sound().resolve("new");
        assertThrows(InvalidRequestException.class, () -> Salvage.run(sound(), inside, Progress.NONE));
        assertFalse(Files.exists(inside));
        Path full = Files.createDirectories(temp.resolve("full"));
        Files.writeString(full.resolve("letter"), "dear");
        assertThrows(InvalidRequestException.class, () -> Salvage.run(sound(), full, Progress.NONE));
        assertThrows(InvalidRequestException.class, () -> Salvage.run(full, temp.resolve("other"), Progress.NONE));
        assertThrows(InvalidRequestException.class, () -> StoreCheck.run(temp.resolve("missing")));
    }

    @Test
    void a_damaged_log_costs_what_is_at_the_place() throws IOException {
        Path damaged = damagedCopy();
        flipInLog(damaged, key(ENTRIES + 5).getBytes(StandardCharsets.UTF_8));
        assertFalse(StoreCheck.run(damaged).kept().isEmpty());
        Salvaged salvaged = salvage(damaged);
        requireNothingWrong(salvaged);
        List<String> lost = new ArrayList<>(truth.keySet());
        lost.removeAll(salvaged.entries().keySet());
        assertEquals(List.of(key(ENTRIES + 5)), lost, () -> losses(salvaged));
        assertTrue(losses(salvaged).contains("between lsn"), () -> losses(salvaged));
    }

    /** A crash or damage may have emptied it. */
    @Test
    void a_file_of_values_without_a_header_costs_its_values_alone() throws IOException {
        for (int bytes : new int[] {0, 10}) {
            Path damaged = damagedCopy();
            Path values = files(damaged, "/tables/", ".val").getFirst();
            Files.write(values, new byte[bytes]);
            assertTrue(StoreCheck.run(damaged).total() > 0);
            Salvaged salvaged = salvage(damaged);
            requireNothingWrong(salvaged);
            assertTrue(salvaged.report().tables().getFirst().isRead(), () -> losses(salvaged));
            assertTrue(
                    losses(salvaged).contains(values.getFileName() + ", offset=-1, message=is too short"),
                    () -> losses(salvaged));
        }
    }

    /** Flips a bit of the first place in the log that has some bytes. */
    private static void flipInLog(Path store, byte[] wanted) throws IOException {
        for (Path file : files(store, "/wal/")) {
            byte[] bytes = Files.readAllBytes(file);
            for (int i = 0; i < bytes.length - wanted.length; i++) {
                if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                    flip(file, i);
                    return;
                }
            }
        }
        throw new AssertionError("the log does not have the bytes");
    }

    private static String losses(Salvaged salvaged) {
        StringBuilder text = new StringBuilder();
        for (Findings.Finding finding : salvaged.report().losses().kept()) {
            text.append(finding).append('\n');
        }
        return text.toString();
    }

    /** Each bit that is flipped costs little, is found by a check if it costs an entry, and never makes a wrong value. */
    @Test
    void flipped_bits_in_the_files_of_a_table() throws IOException {
        int found = 0;
        StringBuilder costly = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            Path damaged = damagedCopy();
            List<Path> files = files(damaged, "/tables/");
            Path file = files.get(i % files.size());
            long size = Files.size(file);
            if (size == 0) {
                continue;
            }
            long offset = random.nextLong(size);
            flip(file, offset);
            Findings check = StoreCheck.run(damaged);
            Salvaged salvaged = salvage(damaged);
            if (mayBringBack(file.getFileName().toString())) {
                takeOutRemoved(salvaged);
            }
            requireNothingWrong(salvaged);
            int lost = truth.size() - salvaged.entries().size();
            if (lost > 0) {
                found++;
                assertTrue(check.total() > 0, file + " at " + offset + ": " + losses(salvaged));
                assertFalse(salvaged.report().isWhole(), file + " at " + offset);
            }
            if (lost > mostLost(file.getFileName().toString())) {
                costly.append(file.getFileName() + " at " + offset + " of " + size + " costs " + lost + ": "
                        + losses(salvaged) + "\n");
            }
        }
        assertTrue(found > 5, found + " of the damages cost an entry");
        assertEquals("", costly.toString());
    }
}
