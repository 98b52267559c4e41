package io.kvstore.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.TableFile;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.BlockCodec;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every codec does in a table file. The module with table files has to be on the class path. */
public abstract class TableFileCodecContract {

    private static final int ENTRIES = 20_000;
    private static final int NOISE = 50;
    private static final int NOISE_BYTES = 30_000;

    @TempDir
    private Path directory;

    /** The codec. */
    protected abstract BlockCodec codec();

    @Test
    void a_table_file_that_uses_it_is_smaller_and_answers_the_same() {
        TableFileInfo plain = build("plain", TableFileSettings.USUAL);
        for (int blockBytes : new int[] {512, 4 << 10, 128 << 10, 1 << 20}) {
            TableFileInfo packed = build("packed", TableFileSettings.USUAL.withCodec(codec().name(), blockBytes));
            assertEquals(plain.keyBytes() + plain.valueBytes(), packed.keyBytes() + packed.valueBytes());
            assertTrue(packed.fileBytes() < plain.fileBytes() * 3 / 4, packed + " beside " + plain);
            check(blockBytes);
        }
    }

    @Test
    void records_of_very_different_lengths_are_found() {
        int entries = 2_000;
        for (int blockBytes : new int[] {4 << 10, 64 << 10}) {
            Path path = directory.resolve("uneven" + blockBytes);
            TableFileSettings settings = TableFileSettings.USUAL.withCodec(codec().name(), blockBytes);
            try (TableFileBuilder builder = TableFileBuilder.create(path, settings)) {
                for (int i = 0; i < entries; i++) {
                    builder.put(key(i), uneven(i));
                }
                builder.finish();
            }
            try (TableFile file = TableFile.open(path)) {
                for (int i = 0; i < entries; i++) {
                    assertArrayEquals(uneven(i), file.get(key(i)), i + " in blocks of " + blockBytes);
                }
            }
        }
    }

    /** A few long values among short ones, in turn at the front and at the end of a block. */
    private static byte[] uneven(int number) {
        return ("value " + number + " ")
                .repeat(number % 37 == 0 ? 250 : number % 3)
                .getBytes(UTF_8);
    }

    /** Entries in no order, the last of which nothing packs. */
    private TableFileInfo build(String name, TableFileSettings settings) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < ENTRIES + NOISE; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(1));
        try (TableFileBuilder builder = TableFileBuilder.create(directory.resolve(name), settings)) {
            for (int number : numbers) {
                builder.put(key(2 * number), value(number));
            }
            return builder.finish();
        }
    }

    private void check(int blockBytes) {
        try (TableFile file = TableFile.open(directory.resolve("packed"))) {
            assertEquals(codec().name(), file.info().codec());
            int stride = Math.max(1, blockBytes / 1_024); // of long blocks few, because each get unpacks one
            for (int i = 0; i < ENTRIES + NOISE; i += stride) {
                assertArrayEquals(value(i), file.get(key(2 * i)), i + " in blocks of " + blockBytes);
                assertNull(file.get(key(2 * i + 1)));
            }
            assertEquals(
                    100,
                    file.count(KeyRange.between(
                            key(1_000).getBytes(UTF_8), key(1_200).getBytes(UTF_8))));
            try (Cursor cursor = file.scan(KeyRange.all())) {
                for (int i = 0; i < ENTRIES + NOISE; i++) {
                    assertTrue(cursor.next());
                    assertArrayEquals(key(2 * i).getBytes(UTF_8), cursor.key());
                    assertArrayEquals(value(i), cursor.value());
                }
            }
            assertEquals(0, file.verify(Progress.NONE).total());
        }
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "key-%06d", number);
    }

    private static byte[] value(int number) {
        if (number >= ENTRIES) {
            byte[] noise = new byte[NOISE_BYTES];
            new Random(number).nextBytes(noise);
            return noise;
        }
        return ("{\"id\": " + number + ", \"name\": \"somebody " + number + "\", \"city\": \"a town by the sea\"}")
                .repeat(5)
                .getBytes(UTF_8);
    }
}
