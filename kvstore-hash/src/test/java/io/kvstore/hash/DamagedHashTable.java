package io.kvstore.hash;

import static io.kvstore.testkit.DamagedCopies.copy;
import static io.kvstore.testkit.DamagedCopies.flip;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.StoreCheck;
import io.kvstore.Table;
import io.kvstore.engine.Progress;
import io.kvstore.testkit.DamagedCopies;
import io.kvstore.testkit.DamagedCopies.Salvaged;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A hash table whose values were replaced, removed and moved. Its log has nothing of it any more. It is made once for all
 * tests of a class, which damage copies of it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DamagedHashTable {

    private static final Pattern NAMED = Pattern.compile("^key \"(.*)\" may have an older value");
    static final int KEYS = 8_000;

    /** Of a table beside it: values of some segments of the log. */
    static final int OTHER_KEYS = 500;

    static final int FIRST_BLOCK = 8_192;
    static final int PAGE = 1;
    static final int CHANGES = 2;
    static final int COMMIT = 3;

    /** That of one test. */
    @TempDir
    Path temp;

    /** Stands for no value: all others are longer. */
    static final byte[] REMOVED = {};

    /** All values that each key ever had, oldest first, and last {@link #REMOVED} if it was removed. */
    final Map<String, List<byte[]>> versions = new TreeMap<>();

    /** Keys that were removed after the index file was written anew, and whose removal the changes of its last commit have. */
    final Set<String> removedLast = new TreeSet<>();

    final Random random = new Random(11);
    private Path made;
    private DamagedCopies copies;

    record Block(int kind, long offset, long end) {}

    /** The keys that a report names. */
    static Set<String> named(Salvaged salvaged) {
        return salvaged.report().losses().kept().stream()
                .map(finding -> NAMED.matcher(finding.message()))
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .collect(Collectors.toSet());
    }

    /** Each test has the same random numbers, whichever ran before. */
    @BeforeEach
    void begin() {
        random.setSeed(12);
        copies = new DamagedCopies(sound(), temp, SmallSegmentsProvider.NAME);
    }

    @BeforeAll
    void make(@TempDir Path directory) throws IOException {
        made = directory;
        Path live = made.resolve("live");
        try (KVStore store = new KVStore(live, DamagedCopies.options())) {
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
            store.checkpoint();
            copy(live, first());
            table.optimize(Progress.NONE); // moves values
            for (int i = 5; i < KEYS; i += 200) {
                remove(table, i);
            }
            store.checkpoint(); // the file has more changes than entries, and is written anew
            copy(live, before());
            for (int first = 1_000; first < 7_000; first += 2_000) {
                for (int i = first; i < first + 200; i += 2) {
                    put(table, i);
                }
                remove(table, first + 1);
                if (first > 1_000) {
                    remove(table, first - 2_000 + 151); // was moved
                }
                table.optimize(Progress.NONE); // moves the values beside them
                store.checkpoint();
                if (first == 3_000) {
                    copy(live, middle());
                }
            }
            for (int i = KEYS; i < KEYS + 200; i++) {
                put(table, i);
            }
            removeLast(table);
            for (int i = 3; i < KEYS; i += 50) {
                put(table, i);
            }
            store.checkpoint();
            Table other = store.createTable("db", "other", "HASH");
            for (int i = 0; i < OTHER_KEYS; i++) {
                other.put(key(i), new byte[1_000]);
            }
            store.checkpoint(); // the log gives up the segments that have operations of the table
            copy(live, sound());
        }
    }

    private void removeLast(Table table) {
        for (int i = 2; i < KEYS; i += 100) {
            remove(table, i);
            removedLast.add(key(i));
        }
        for (int i = 1_051; i < 7_000; i += 2_000) {
            remove(table, i); // was moved
            removedLast.add(key(i));
        }
    }

    static String key(int number) {
        return "key-" + (100_000 + number);
    }

    void put(Table table, int number) {
        byte[] value = new byte[30 + random.nextInt(60)];
        random.nextBytes(value);
        table.put(key(number), value);
        valuesOf(key(number)).add(value);
    }

    void remove(Table table, int number) {
        table.remove(key(number));
        valuesOf(key(number)).add(REMOVED);
    }

    List<byte[]> valuesOf(String key) {
        return versions.computeIfAbsent(key, name -> new ArrayList<>());
    }

    Path sound() {
        return made.resolve("sound");
    }

    /** The store as it was before any value was moved. */
    Path first() {
        return made.resolve("first");
    }

    /** The store as it was when the index file had been written anew. */
    Path before() {
        return made.resolve("before");
    }

    Path damagedCopy() throws IOException {
        return copies.damaged();
    }

    /** The store two commits before the last one, with the same index file. */
    Path middle() {
        return made.resolve("middle");
    }

    Path table(Path store) {
        return store.resolve("tables").resolve("0000000001");
    }

    List<Path> files(Path store, String end) throws IOException {
        try (Stream<Path> paths = Files.list(table(store))) {
            return paths.filter(path -> path.toString().endsWith(end)).sorted().toList();
        }
    }

    Path index(Path store) throws IOException {
        List<Path> found = files(store, ".idx");
        assertEquals(1, found.size());
        return found.getFirst();
    }

    List<Block> blocks(Path store) throws IOException {
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

    List<Block> blocks(int kind) throws IOException {
        return blocksOf(blocks(sound()), kind);
    }

    static List<Block> blocksOf(List<Block> blocks, int kind) {
        return blocks.stream().filter(block -> block.kind == kind).toList();
    }

    /** Puts segments of another store back that are not there. Returns how many. */
    int putBackSegments(Path from, Path damaged) throws IOException {
        int count = 0;
        for (Path old : files(from, ".val")) {
            Path there = table(damaged).resolve(old.getFileName());
            if (!Files.exists(there)) {
                Files.copy(old, there);
                count++;
            }
        }
        return count;
    }

    Block mostMoves() throws IOException {
        return moves().stream()
                .max(Comparator.comparingLong(block -> block.end() - block.offset()))
                .orElseThrow();
    }

    /** The changes in which more values were moved than 50. */
    List<Block> moves() throws IOException {
        List<Block> changes = blocks(CHANGES);
        return changes.subList(0, changes.size() - 1).stream()
                .filter(block -> block.end() - block.offset() > 20 * 150)
                .toList();
    }

    /** Salvages what a check finds to be damaged. */
    Salvaged salvage(Path damaged) throws IOException {
        assertFalse(StoreCheck.run(damaged).kept().isEmpty());
        Salvaged salvaged = copies.salvage(damaged);
        assertFalse(salvaged.report().isWhole());
        return salvaged;
    }

    /** Checks that each key with a value has its newest one. Returns the keys that were removed and are back. */
    Set<String> requireNewest(Salvaged salvaged) {
        Set<String> back = new TreeSet<>();
        versions.forEach((key, values) -> {
            byte[] newest = values.getLast();
            byte[] found = salvaged.entries().get(key);
            if (newest.length > 0) {
                assertArrayEquals(newest, found, () -> key + "\n" + salvaged.losses());
            } else if (found != null) {
                assertTrue(values.stream().anyMatch(value -> Arrays.equals(value, found)), key);
                back.add(key);
            }
        });
        assertTrue(versions.keySet().containsAll(salvaged.entries().keySet()));
        return back;
    }

    Set<String> removed() {
        return versions.entrySet().stream()
                .filter(entry -> entry.getValue().getLast().length == 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The record with a value: its segment, and an offset in the value. */
    record Place(Path segment, long offset) {}

    List<Place> placesOf(Path store, byte[] value) throws IOException {
        List<Place> places = new ArrayList<>();
        for (Path segment : files(store, ".val")) {
            byte[] bytes = Files.readAllBytes(segment);
            for (int at = 0; at <= bytes.length - value.length; at++) {
                if (bytes[at] == value[0] && Arrays.equals(bytes, at, at + value.length, value, 0, value.length)) {
                    places.add(new Place(segment, at));
                }
            }
        }
        return places;
    }

    void damage(Path store, byte[] value) throws IOException {
        List<Place> places = placesOf(store, value);
        assertFalse(places.isEmpty());
        for (Place place : places) {
            flip(place.segment, place.offset + 7);
        }
    }
}
