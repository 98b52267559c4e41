package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.Cursor;
import io.kvstore.TableFile;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was exported is built again, byte for byte. */
final class RoundTripTest {

    private static final String TRICKY = "\",\r\n \t\\\u0000\uFEFF\u00E9\uD83D\uDE00#'ab";

    @TempDir
    private Path temp;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--format=ndjson",
                "--format=csv",
                "--format=ndjson --encoding=hex",
                "--format=csv --encoding=hex",
                "--format=ndjson --encoding=base64",
                "--format=csv --encoding=base64"
            })
    void bytes_come_back(String options) {
        Seeds.each(1, 20, seed -> check(seed, options, seed % 2 == 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--format=ndjson --encoding=utf8", "--format=csv --encoding=utf8", "--format=csv"})
    void text_comes_back_as_text(String options) {
        Seeds.each(1, 20, seed -> check(seed, options, false));
    }

    private void check(long seed, String options, boolean isBinary) {
        Random random = new Random(seed);
        Map<byte[], byte[]> entries = new TreeMap<>(KeyOrder.COMPARATOR);
        for (int i = random.nextInt(300); i > 0; i--) {
            entries.put(bytes(random, isBinary), bytes(random, isBinary));
        }
        Path first = temp.resolve("first");
        try (TableFileBuilder builder = TableFileBuilder.create(first)) {
            entries.forEach(builder::put);
            builder.finish();
        }
        CommandRun export = CommandRun.of(("file export " + first + " " + options).split(" ", -1));
        export.good();
        String format = options.split(" ", -1)[0];
        Path second = temp.resolve("second");
        CommandRun.with(export.output(), "build", second.toString(), "-", format)
                .good();
        try (TableFile table = TableFile.open(second);
                Cursor cursor = table.scan(KeyRange.all())) {
            entries.forEach((key, value) -> {
                assertEquals(true, cursor.next());
                assertArrayEquals(key, cursor.key());
                assertArrayEquals(value, cursor.value());
            });
            assertEquals(false, cursor.next());
        }
    }

    private static byte[] bytes(Random random, boolean isBinary) {
        int length = random.nextInt(random.nextInt(10) == 0 ? 3_000 : 6);
        if (isBinary && random.nextBoolean()) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }
        int[] points = TRICKY.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
