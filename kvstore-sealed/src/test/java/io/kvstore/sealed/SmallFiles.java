package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a file that is built, read and broken again and again.
 *
 * @param entries what is in the file
 * @param settings with which it is built
 * @param isSorted whether the entries are given in the order of their keys
 */
record SmallFiles(NavigableMap<byte[], byte[]> entries, TableFileSettings settings, boolean isSorted) {

    static final String PATH = "table.sealed";

    private static final SealedFiles FILES = new SealedFiles();

    boolean isInBlocks() {
        return !settings.codec().equals(TableFileSettings.NO_CODEC);
    }

    /** The same entries in blocks. */
    SmallFiles inBlocks(int blockBytes) {
        return new SmallFiles(entries, settings.withCodec("DEFLATE", blockBytes), isSorted);
    }

    /** The same entries in another layout. */
    SmallFiles as(Layout layout) {
        return new SmallFiles(entries, settings.withLayout(layout), isSorted);
    }

    boolean isPoint() {
        return settings.layout() == Layout.POINT;
    }

    /** Entries with random values of one length, which can be packed to a third. */
    static SmallFiles of(long seed, int entries, int valueBytes, boolean isSorted) {
        Random random = new Random(seed);
        NavigableMap<byte[], byte[]> made = new TreeMap<>(KeyOrder.COMPARATOR);
        for (int i = 0; i < entries; i++) {
            byte[] value = new byte[valueBytes];
            random.nextBytes(value);
            for (int at = 0; at < value.length; at++) {
                value[at] &= 3;
            }
            made.put(key(2 * i), value);
        }
        return new SmallFiles(made, TableFileSettings.USUAL.withSortMemoryBytes(1 << 20), isSorted);
    }

    static byte[] key(int number) {
        return String.format(Locale.ROOT, "key-%05d", number).getBytes(StandardCharsets.US_ASCII);
    }

    TableFileInfo build(Storage storage) throws IOException {
        List<Map.Entry<byte[], byte[]>> given = new ArrayList<>(entries.entrySet());
        if (!isSorted) {
            Collections.shuffle(given, new Random(1));
        }
        try (TableFileWriter writer = FILES.create(storage, PATH, settings)) {
            for (Map.Entry<byte[], byte[]> entry : given) {
                writer.put(entry.getKey(), entry.getValue());
            }
            return writer.finish(Progress.NONE);
        }
    }

    static TableFileReader open(Storage storage) throws IOException {
        return FILES.open(storage, PATH);
    }

    /** A storage like another one, whose files are read by position. */
    static Storage withoutMappings(Storage storage) {
        return HookedStorage.over(storage, (name, path, proceed) -> switch (name) {
            case "missingAbilities" -> Set.of(FileSystemAbility.MAPPED_FILES);
            case "mapReadOnly" -> throw new AssertionError(path + " is mapped");
            default -> proceed.call();
        });
    }

    /** One question that a file is asked. */
    @FunctionalInterface
    interface Question {
        /** Fails if the answer is wrong. */
        void ask() throws IOException;
    }

    /** All questions whose answers are compared. */
    List<Question> questions(TableFileReader file) {
        List<Question> all = new ArrayList<>();
        entries.forEach((key, value) -> {
            all.add(() -> requireSame(value, file.get(key), key));
        });
        for (int i = 0; i < 2 * entries.size() + 2; i++) {
            byte[] absent = key(i);
            if (!entries.containsKey(absent)) {
                all.add(() -> assertNull(file.get(absent), () -> KeyOrder.display(absent)));
            }
        }
        all.add(() -> checkScan(file, KeyRange.all(), entries));
        all.add(() -> checkScan(file, KeyRange.all().reverse(), entries.descendingMap()));
        byte[] middle = key(entries.size() + 1);
        all.add(() -> checkScan(file, KeyRange.all().from(middle, true), entries.tailMap(middle, true)));
        all.add(() -> assertEquals(entries.size(), file.count(KeyRange.all())));
        KeyRange upper = KeyRange.all().from(middle, false);
        all.add(() -> assertEquals(entries.tailMap(middle, false).size(), file.count(upper)));
        return all;
    }

    /** The assertion itself goes over long values byte by byte, so it is asked only when it fails. */
    static void requireSame(byte[] expected, byte @Nullable [] found, byte[] key) {
        if (!Arrays.equals(expected, found)) {
            assertArrayEquals(expected, found, () -> KeyOrder.display(key));
        }
    }

    private static void checkScan(TableFileReader file, KeyRange range, Map<byte[], byte[]> expected)
            throws IOException {
        try (EngineCursor cursor = file.scan(range)) {
            for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
                assertEquals(true, cursor.next(), () -> "an end before " + KeyOrder.display(entry.getKey()));
                assertArrayEquals(entry.getKey(), cursor.key());
                requireSame(entry.getValue(), cursor.value(), entry.getKey());
            }
            assertFalse(cursor.next());
        }
    }

    @Override
    public String toString() {
        return entries.size() + (isSorted ? " sorted" : "") + " entries, " + settings.layout() + ", codec "
                + settings.codec();
    }

    /** Requires the right answers to all questions. */
    void check(TableFileReader file) throws IOException {
        for (Question question : questions(file)) {
            question.ask();
        }
    }
}
