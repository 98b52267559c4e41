package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stores that were written once, by the first program of their format, and that every later program opens. They lie in
 * {@code src/test/fixtures} of the engine's module and are never written again: a format that changes gets a further fixture,
 * and the reader of the old one stays. A fixture that is missing is made with {@code -Dkv.rewrite=true}.
 */
public abstract class FixtureContract {

    private static final int KEYS = 600;

    /** The file formats that a fixture stands for. */
    private static final int FORMAT = 1;

    @TempDir
    private Path temp;

    /** How the program that wrote a fixture ended. */
    enum End {
        CLOSED,
        KILLED
    }

    /** The name of the engine. */
    protected abstract String engine();

    /** Parameters with which a few hundred entries make every kind of file. */
    protected abstract Properties parameters();

    @ParameterizedTest
    @EnumSource
    void a_store_of_an_earlier_program_is_read_and_written(End end) throws IOException {
        Path fixture = Path.of(System.getProperty("basedir", "."), "src", "test", "fixtures")
                .resolve("format-" + FORMAT + "-" + end + ".zip");
        if (!Files.exists(fixture) && Boolean.getBoolean("kv.rewrite")) {
            make(fixture, end);
        }
        Path directory = temp.resolve("store");
        unpack(fixture, directory);
        Map<String, byte[]> expected = expected();
        try (KVStore store = open(directory)) {
            check(store.table("d", "t"), expected);
            assertEquals(List.of(), store.verify().kept());
            store.table("d", "t").put(bytes("new"), bytes("value"));
            store.table("d", "t").remove(bytes("k0001"));
            store.checkpoint();
        }
        expected.put("new", bytes("value"));
        expected.remove("k0001");
        try (KVStore store = open(directory)) {
            check(store.table("d", "t"), expected);
            assertEquals(List.of(), store.verify().kept());
        }
    }

    private static KVStore open(Path directory) {
        return new KVStore(
                directory,
                KVStoreOptions.defaults()
                        .withDurability(Durability.BUFFERED)
                        .withMemoryBytes(32 << 20)
                        .withWalSegmentBytes(256 << 10)
                        .withCheckpointLogBytes(1 << 20));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number, int round) {
        int length = number % 29 == 0 ? 9_000 : number % 5 == 0 ? 700 : number % 40;
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte) (i % 100 == 0 ? i / 100 : 31 * number + round);
        }
        return value;
    }

    /** The entries after all rounds. They must never change, because the fixtures have them. */
    private static Map<String, byte[]> expected() {
        Map<String, byte[]> entries = new TreeMap<>();
        for (int round = 0; round < 4; round++) {
            for (int number = round; number < KEYS; number += 1 + round) {
                if ((number + round) % 7 == 6) {
                    entries.remove(key(number));
                } else {
                    entries.put(key(number), value(number, round));
                }
            }
        }
        return entries;
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "k%04d", number);
    }

    private static void check(Table table, Map<String, byte[]> expected) {
        List<String> keys = new ArrayList<>();
        try (Cursor cursor = table.scan(KeyRange.all())) {
            while (cursor.next()) {
                String key = new String(cursor.key(), StandardCharsets.UTF_8);
                keys.add(key);
                assertArrayEquals(expected.get(key), cursor.value(), key);
            }
        }
        assertEquals(List.copyOf(expected.keySet()), keys);
        expected.forEach((key, value) -> assertArrayEquals(value, table.get(bytes(key)), key));
    }

    private void make(Path fixture, End end) throws IOException {
        Path directory = temp.resolve("made");
        Path copy = temp.resolve("killed");
        try (KVStore store = open(directory)) {
            store.createDB("d");
            store.createTable("d", "t", engine(), parameters());
            for (int round = 0; round < 4; round++) {
                write(store, store.table("d", "t"), round);
                if (round < 3) {
                    store.checkpoint();
                }
            }
            copy(directory, copy);
        }
        Files.createDirectories(fixture.getParent());
        try (OutputStream out = Files.newOutputStream(fixture);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            pack(end == End.CLOSED ? directory : copy, zip);
        }
    }

    private static void write(KVStore store, Table table, int round) {
        for (int number = round; number < KEYS; number += 1 + round) {
            byte[] key = bytes(key(number));
            if ((number + round) % 7 == 6) {
                table.remove(key);
            } else if (number % 3 == 0) {
                store.write(new WriteBatch().put(table, key, value(number, round)));
            } else {
                table.put(key, value(number, round));
            }
        }
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Path file : files(from)) {
            Path target = to.resolve(from.relativize(file).toString());
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        }
    }

    private static void pack(Path directory, ZipOutputStream zip) throws IOException {
        for (Path file : files(directory)) {
            ZipEntry entry = new ZipEntry(directory.relativize(file).toString().replace('\\', '/'));
            entry.setTime(0);
            zip.putNextEntry(entry);
            Files.copy(file, zip);
            zip.closeEntry();
        }
    }

    private static void unpack(Path fixture, Path directory) throws IOException {
        assertTrue(Files.exists(fixture), fixture + " is missing; -Dkv.rewrite=true makes it, once");
        try (ZipFile zip = new ZipFile(fixture.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                Path target = directory.resolve(entry.getName()).normalize();
                assertTrue(target.startsWith(directory), entry.getName());
                Files.createDirectories(target.getParent());
                Files.copy(zip.getInputStream(entry), target);
            }
        }
        assertFalse(files(directory).isEmpty(), fixture + " is empty");
    }
}
