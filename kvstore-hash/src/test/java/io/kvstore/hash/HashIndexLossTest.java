package io.kvstore.hash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What comes back of a hash table whose index file is lost or damaged, after values were replaced, removed and moved. Nothing
 * of it is in the log any more.
 */
final class HashIndexLossTest {

    private static final Pattern NAMED = Pattern.compile("^key \"(.*)\" may have an older value");
    private static final int KEYS = 8_000;
    private static final int FIRST_BLOCK = 8_192;
    private static final int PAGE = 1;
    private static final int CHANGES = 2;
    private static final int COMMIT = 3;

    @TempDir
    private Path temp;

    /** Stands for no value: all others are longer. */
    private static final byte[] REMOVED = {};

    /** All values that each key ever had, oldest first, and last {@link #REMOVED} if it was removed. */
    private final Map<String, List<byte[]>> versions = new TreeMap<>();

    /** Keys that were removed after the index file was written anew, and whose removal the changes of its last commit have. */
    private final Set<String> removedLast = new TreeSet<>();

    private final Random random = new Random(11);
    private int copies;

    private record Block(int kind, long offset, long end) {}

    private record Salvaged(SalvageReport report, Map<String, byte[]> entries) {

        String losses() {
            return report.losses().kept().stream()
                    .map(Findings.Finding::toString)
                    .collect(Collectors.joining("\n"));
        }

        /** The keys that the report names. */
        Set<String> named() {
            return report.losses().kept().stream()
                    .map(finding -> NAMED.matcher(finding.message()))
                    .filter(Matcher::find)
                    .map(matcher -> matcher.group(1))
                    .collect(Collectors.toSet());
        }
    }

    @BeforeEach
    void make() throws IOException {
        Path live = temp.resolve("live");
        KVStoreOptions options = KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withMemoryBytes(32 << 20)
                .withWalSegmentBytes(256 << 10);
        try (KVStore store = new KVStore(live, options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", SmallSegmentsProvider.NAME);
            for (int i = 0; i < KEYS; i++) {
                put(table, i);
            }
            for (int i = 0; i < KEYS; i += 3) {
                put(table, i);
            }
            for (int i = 0; i < KEYS; i += 10) {
                remove(table, i);
            }
            table.optimize(Progress.NONE); // moves values
            for (int i = 5; i < KEYS; i += 200) {
                remove(table, i);
            }
            store.checkpoint(); // the file has more changes than entries, and is written anew
            for (int first = 1_000; first < 7_000; first += 2_000) {
                for (int i = first; i < first + 200; i += 2) {
                    put(table, i);
                }
                table.optimize(Progress.NONE); // moves the values beside them
                store.checkpoint();
            }
            for (int i = KEYS; i < KEYS + 200; i++) {
                put(table, i);
            }
            for (int i = 2; i < KEYS; i += 100) {
                remove(table, i);
                removedLast.add(key(i));
            }
            for (int i = 3; i < KEYS; i += 50) {
                put(table, i);
            }
            store.checkpoint();
            Table other = store.createTable("db", "other", "HASH");
            for (int i = 0; i < 1_500; i++) {
                other.put(key(i), new byte[1_000]);
            }
            store.checkpoint(); // the log gives up the segments that have operations of the table
            copy(live, sound());
        }
    }

    private static String key(int number) {
        return "key-" + (100_000 + number);
    }

    private void put(Table table, int number) {
        byte[] value = new byte[30 + random.nextInt(60)];
        random.nextBytes(value);
        table.put(key(number), value);
        valuesOf(key(number)).add(value);
    }

    private void remove(Table table, int number) {
        table.remove(key(number));
        valuesOf(key(number)).add(REMOVED);
    }

    private List<byte[]> valuesOf(String key) {
        return versions.computeIfAbsent(key, name -> new ArrayList<>());
    }

    private Path sound() {
        return temp.resolve("sound");
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

    private Path table(Path store) {
        return store.resolve("tables").resolve("0000000001");
    }

    private List<Path> files(Path store, String end) throws IOException {
        try (Stream<Path> paths = Files.list(table(store))) {
            return paths.filter(path -> path.toString().endsWith(end)).sorted().toList();
        }
    }

    private Path index(Path store) throws IOException {
        List<Path> found = files(store, ".idx");
        assertEquals(1, found.size());
        return found.getFirst();
    }

    private static void flip(Path file, long offset) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) offset] ^= 0x10;
        Files.write(file, bytes);
    }

    private List<Block> blocks(Path store) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(index(store))).order(ByteOrder.LITTLE_ENDIAN);
        List<Block> blocks = new ArrayList<>();
        for (int at = FIRST_BLOCK; at < bytes.capacity(); ) {
            int kind = bytes.get(at + 8);
            int unit = kind == COMMIT ? 4_096 : 8;
            int end = (at + 12 + bytes.getInt(at + 4) + unit - 1) / unit * unit;
            blocks.add(new Block(kind, at, end));
            at = end;
        }
        return blocks;
    }

    private List<Block> blocks(int kind) throws IOException {
        return blocksOf(blocks(sound()), kind);
    }

    private static List<Block> blocksOf(List<Block> blocks, int kind) {
        return blocks.stream().filter(block -> block.kind == kind).toList();
    }

    private Salvaged salvage(Path damaged) throws IOException {
        Path target = temp.resolve("new" + copies++);
        assertFalse(StoreCheck.run(damaged).kept().isEmpty());
        SalvageReport report = Salvage.run(damaged, target, Progress.NONE);
        Map<String, byte[]> entries = new HashMap<>();
        try (KVStore store = new KVStore(target, KVStoreOptions.defaults().withMemoryBytes(32 << 20))) {
            Table table = store.table("db", "t");
            assertEquals(SmallSegmentsProvider.NAME, table.engineName());
            try (Cursor cursor = table.scan(KeyRange.all())) {
                while (cursor.next()) {
                    entries.put(new String(cursor.key(), UTF_8), cursor.value());
                }
            }
            assertEquals(List.of(), table.verify().kept());
        }
        assertFalse(report.isWhole());
        return new Salvaged(report, entries);
    }

    /** Checks that each key with a value has its newest one. Returns the keys that were removed and are back. */
    private Set<String> requireNewest(Salvaged salvaged) {
        Set<String> back = new TreeSet<>();
        versions.forEach((key, values) -> {
            byte[] newest = values.getLast();
            byte[] found = salvaged.entries.get(key);
            if (newest.length > 0) {
                assertArrayEquals(newest, found, () -> key + "\n" + salvaged.losses());
            } else if (found != null) {
                assertTrue(values.stream().anyMatch(value -> Arrays.equals(value, found)), key);
                back.add(key);
            }
        });
        assertTrue(versions.keySet().containsAll(salvaged.entries.keySet()));
        return back;
    }

    private Set<String> removed() {
        return versions.entrySet().stream()
                .filter(entry -> entry.getValue().getLast().length == 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void the_files_are_as_the_tests_need_them() throws IOException {
        assertTrue(blocks(PAGE).size() > 10, "pages");
        assertTrue(blocks(CHANGES).size() > 1, "changes");
        assertTrue(blocks(COMMIT).size() > 2, "commits");
        assertTrue(files(sound(), ".val").size() > 5, "segments");
        assertEquals(List.of(), StoreCheck.run(sound()).kept());
        SalvageReport report = Salvage.run(sound(), temp.resolve("whole"), Progress.NONE);
        assertTrue(report.isWhole());
        assertEquals(
                versions.size() - removed().size(), report.tables().getLast().entries());
    }

    @Test
    void without_the_index_file_each_key_has_its_newest_value_and_removed_ones_may_be_back() throws IOException {
        Path damaged = damagedCopy();
        Files.delete(index(damaged));
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertTrue(back.containsAll(removedLast), () -> back + " are back");
        assertTrue(
                salvaged.losses()
                        .contains("of " + salvaged.entries.size() + " keys, those that were removed may be back"),
                salvaged.losses());
        assertTrue(salvaged.report.tables().getLast().isRead());
    }

    @Test
    void a_damaged_page_puts_the_keys_in_doubt_whose_hashes_it_has() throws IOException {
        List<Block> pages = blocks(PAGE);
        Block lost = pages.get(pages.size() / 2);
        Path damaged = damagedCopy();
        flip(index(damaged), (lost.offset + lost.end) / 2);
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertTrue(salvaged.named().containsAll(back), () -> back + " are back:\n" + salvaged.losses());
        long named = salvaged.named().size();
        long inPage = (lost.end - lost.offset) / 12;
        assertTrue(named > 0 && named <= 2 * inPage, named + " named, " + inPage + " in the page");
        assertTrue(salvaged.losses().contains("; " + named + " of them may have an older value"), salvaged.losses());
    }

    @Test
    void damaged_changes_put_removals_in_doubt_that_they_may_have() throws IOException {
        Block lost = blocks(CHANGES).getLast();
        Path damaged = damagedCopy();
        flip(index(damaged), lost.offset + 40);
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertEquals(removedLast, back);
        assertTrue(salvaged.losses().contains("changes lost at most"), salvaged.losses());
    }

    @Test
    void damaged_changes_that_moved_values_cost_nothing() throws IOException {
        List<Block> all = blocks(sound());
        Block lost = all.stream()
                .filter(block -> block.kind == CHANGES && !block.equals(all.get(all.size() - 2)))
                .max(Comparator.comparingLong(block -> block.end - block.offset))
                .orElseThrow();
        assertTrue(lost.end - lost.offset > 20 * 150, lost + " has 100 puts, and more moves than 50");
        Path damaged = damagedCopy();
        flip(index(damaged), lost.offset + 40);
        Salvaged salvaged = salvage(damaged);
        assertEquals(Set.of(), requireNewest(salvaged), salvaged::losses);
    }

    @Test
    void damaged_heads_and_commits_cost_nothing() throws IOException {
        List<Block> commits = blocks(COMMIT);
        for (long offset : List.of(3L, 25L, 40L, 4_000L, commits.get(1).offset + 20)) {
            Path damaged = damagedCopy();
            flip(index(damaged), offset);
            Salvaged salvaged = salvage(damaged);
            assertEquals(Set.of(), requireNewest(salvaged), () -> "at " + offset + "\n" + salvaged.losses());
        }
        Path damaged = damagedCopy();
        flip(index(damaged), commits.getLast().offset + 30);
        Salvaged salvaged = salvage(damaged);
        assertEquals(Set.of(), requireNewest(salvaged));
        assertTrue(salvaged.losses().contains("have no commit that can be read"), salvaged.losses());
    }

    @Test
    void a_file_that_was_cut_is_as_one_with_damage_at_its_end() throws IOException {
        for (Block block : List.of(
                blocks(PAGE).get(3), blocks(CHANGES).getLast(), blocks(COMMIT).getLast())) {
            Path damaged = damagedCopy();
            byte[] bytes = Files.readAllBytes(index(damaged));
            Files.write(index(damaged), Arrays.copyOf(bytes, (int) block.offset + 100));
            Salvaged salvaged = salvage(damaged);
            Set<String> back = requireNewest(salvaged);
            assertTrue(removed().containsAll(back));
            assertTrue(back.isEmpty() || salvaged.losses().contains("may have been removed"), salvaged.losses());
        }
        for (int length : new int[] {0, 10, 5_000, FIRST_BLOCK}) {
            Path damaged = damagedCopy();
            Files.write(index(damaged), Arrays.copyOf(Files.readAllBytes(index(damaged)), length));
            Salvaged salvaged = salvage(damaged);
            assertTrue(removed().containsAll(requireNewest(salvaged)));
        }
    }

    /** The record with a value: its segment, and an offset in the value. */
    private record Place(Path segment, long offset) {}

    private List<Place> placesOf(Path store, byte[] value) throws IOException {
        List<Place> places = new ArrayList<>();
        for (Path segment : files(store, ".val")) {
            byte[] bytes = Files.readAllBytes(segment);
            for (int at = 0; at <= bytes.length - value.length; at++) {
                if (Arrays.equals(bytes, at, at + value.length, value, 0, value.length)) {
                    places.add(new Place(segment, at));
                }
            }
        }
        return places;
    }

    private void damage(Path store, byte[] value) throws IOException {
        List<Place> places = placesOf(store, value);
        assertFalse(places.isEmpty());
        for (Place place : places) {
            flip(place.segment, place.offset + 7);
        }
    }

    /** A key whose newest value and the one before are both in segments. */
    private String keyWithTwoValues() throws IOException {
        for (int i = 3; i < KEYS; i += 50) {
            List<byte[]> values = valuesOf(key(i));
            byte[] newest = values.getLast();
            byte[] before = values.size() < 2 ? REMOVED : values.get(values.size() - 2);
            if (newest.length > 0
                    && before.length > 0
                    && !placesOf(sound(), before).isEmpty()) {
                return key(i);
            }
        }
        throw new AssertionError("no key has two values in segments");
    }

    @Test
    void without_the_index_file_a_damaged_value_may_give_way_to_an_older_one_and_that_is_told() throws IOException {
        String key = keyWithTwoValues();
        List<byte[]> values = valuesOf(key);
        Path damaged = damagedCopy();
        damage(damaged, values.getLast());
        Files.delete(index(damaged));
        Salvaged salvaged = salvage(damaged);
        assertArrayEquals(values.get(values.size() - 2), salvaged.entries.get(key));
        assertTrue(salvaged.losses().contains("of a key that may be back with an older one"), salvaged.losses());
        assertEquals(
                placesOf(sound(), values.getLast()).size(),
                salvaged.losses().split("may be back with an older one", -1).length - 1,
                salvaged.losses());
    }

    @Test
    void a_key_that_the_index_file_names_does_not_come_back_with_an_older_value() throws IOException {
        String key = keyWithTwoValues();
        List<byte[]> values = valuesOf(key);
        for (long offset : List.of(25L, blocks(COMMIT).getLast().offset + 30)) {
            Path damaged = damagedCopy();
            damage(damaged, values.getLast());
            flip(index(damaged), offset);
            Salvaged salvaged = salvage(damaged);
            assertFalse(salvaged.entries.containsKey(key), salvaged::losses);
            assertEquals(versions.size() - removed().size() - 1, salvaged.entries.size(), salvaged::losses);
        }
    }

    @Test
    void a_missing_segment_costs_its_values_and_a_damaged_header_costs_nothing() throws IOException {
        Path headless = damagedCopy();
        for (Path segment : files(headless, ".val")) {
            flip(segment, 20);
        }
        assertEquals(Set.of(), requireNewest(salvage(headless)));

        Path damaged = damagedCopy();
        Path missing = files(damaged, ".val").getFirst();
        byte[] bytes = Files.readAllBytes(missing);
        Files.delete(missing);
        Salvaged salvaged = salvage(damaged);
        int lost = 0;
        for (Map.Entry<String, List<byte[]>> entry : versions.entrySet()) {
            byte[] newest = entry.getValue().getLast();
            byte[] found = salvaged.entries.get(entry.getKey());
            if (found != null || newest.length == 0) {
                assertArrayEquals(newest, found == null ? REMOVED : found, entry.getKey());
            } else {
                assertTrue(new String(bytes, UTF_8).contains(entry.getKey()), entry.getKey());
                lost++;
            }
        }
        assertTrue(lost > 0);
        assertTrue(salvaged.losses().contains(missing.getFileName().toString()), salvaged.losses());
    }

    /** A salvage is sure of nothing that it does not know. */
    @Test
    void whatever_bits_of_the_index_file_are_flipped_no_key_has_a_wrong_value_unnoticed() throws IOException {
        long size = Files.size(index(sound()));
        for (int run = 0; run < 12; run++) {
            Path damaged = damagedCopy();
            Set<Long> offsets = new HashSet<>();
            for (int i = 0; i <= run % 4; i++) {
                long offset = random.nextLong(size);
                if (offsets.add(offset)) {
                    flip(index(damaged), offset);
                }
            }
            if (StoreCheck.run(damaged).total() == 0) {
                continue; // a mark that says nothing, or what a crash may leave
            }
            Salvaged salvaged = salvage(damaged);
            Set<String> back = requireNewest(salvaged);
            boolean areChangesLost = salvaged.losses().contains("changes lost at most");
            Set<String> named = salvaged.named();
            boolean areAllNamed = salvaged.losses().contains("; " + named.size() + " of them may have an older value");
            back.removeIf(key -> named.contains(key) || (named.size() == 500 && !areAllNamed));
            assertTrue(
                    back.isEmpty() || areChangesLost || salvaged.losses().contains("removed may be back"),
                    () -> offsets + ": " + back + "\n" + salvaged.losses());
        }
    }
}
