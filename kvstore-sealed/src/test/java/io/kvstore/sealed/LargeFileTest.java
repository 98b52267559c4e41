package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records on both sides of 2 GiB and 4 GiB in a file, most of which is zeros that are not written. */
@Tag("races")
final class LargeFileTest {

    private static final String PATH = "table.sealed";
    private static final int LARGE_BYTES = 64 << 20;
    private static final int SMALL_BYTES = 13;

    /** Small records around a boundary, and in front of it: fewer than a block has, and more. */
    private static final int SMALL_RECORDS = 400;

    private static final int KEY_BYTES = 4;
    private static final int SMALL_RECORD_BYTES = Integer.BYTES + 1 + 1 + KEY_BYTES + SMALL_BYTES;
    private static final int LARGE_FRONT_BYTES = Integer.BYTES + 1 + 4 + KEY_BYTES;
    private static final long HEADER_BYTES = 4 << 10;

    @TempDir
    private Path directory;

    /** Lengths of values whose records lie so that one begins in front of each boundary and ends behind it. */
    private static List<Integer> lengths() {
        List<Integer> lengths = new ArrayList<>();
        long position = HEADER_BYTES;
        for (long boundary : new long[] {1L << 31, 1L << 32}) {
            long smallFrom = boundary - (long) SMALL_RECORDS / 2 * SMALL_RECORD_BYTES - SMALL_RECORD_BYTES / 2;
            while (position < smallFrom) {
                long left = smallFrom - position;
                long whole = LARGE_BYTES + LARGE_FRONT_BYTES;
                int value =
                        (int) (left >= 2 * whole ? LARGE_BYTES : left <= whole ? left - LARGE_FRONT_BYTES : left / 2);
                lengths.add(value);
                position += LARGE_FRONT_BYTES + value;
            }
            assertEquals(smallFrom, position);
            for (int i = 0; i < SMALL_RECORDS; i++) {
                lengths.add(SMALL_BYTES);
                position += SMALL_RECORD_BYTES;
            }
        }
        lengths.add(LARGE_BYTES);
        return lengths;
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(KEY_BYTES).putInt(number).array();
    }

    private static byte[] small(int number) {
        return ByteBuffer.allocate(SMALL_BYTES).putInt(number).array();
    }

    /** A storage whose files, which are written from front to back, have holes in place of zeros. */
    private static Storage sparse(Storage disk) {
        return HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("write")) {
                ByteBuffer source = (ByteBuffer) proceed.argument(0);
                if (source.mismatch(ByteBuffer.allocate(source.remaining())) < 0) {
                    source.position(source.limit());
                    return null;
                }
            }
            return proceed.call();
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = Layout.class,
            names = {"LINES", "PERFECT"})
    void records_around_two_and_four_GiB(Layout layout) throws IOException {
        RealStorage disk = new RealStorage(directory);
        SealedFiles files = new SealedFiles();
        List<Integer> lengths = lengths();
        byte[] zeros = new byte[LARGE_BYTES];
        try (TableFileWriter writer = files.create(sparse(disk), PATH, TableFileSettings.USUAL.withLayout(layout))) {
            for (int i = 0; i < lengths.size(); i++) {
                int length = lengths.get(i);
                writer.put(
                        key(2 * i),
                        length == SMALL_BYTES ? small(i) : length == LARGE_BYTES ? zeros : new byte[length]);
            }
            writer.finish(Progress.NONE);
        }
        assertTrue(disk.size(PATH) > 1L << 32);
        try (TableFileReader file = files.open(disk, PATH)) {
            checkGets(file, lengths);
            checkRanges(file, lengths);
            Findings findings = new Findings();
            file.verify(findings, Progress.NONE);
            assertEquals(List.of(), findings.kept());
        }
        try (TableFileReader file = files.open(SmallFiles.withoutMappings(disk), PATH)) {
            checkGets(file, lengths);
            checkRanges(file, lengths);
        }
    }

    private static void checkGets(TableFileReader file, List<Integer> lengths) throws IOException {
        for (int i = 0; i < lengths.size(); i++) {
            if (lengths.get(i) == SMALL_BYTES) {
                assertArrayEquals(small(i), file.get(key(2 * i)));
            }
            assertNull(file.get(key(2 * i + 1)));
        }
        int last = lengths.size() - 1;
        assertEquals(LARGE_BYTES, file.info().longestValueBytes());
        assertArrayEquals(new byte[LARGE_BYTES], file.get(key(2 * last)));
    }

    /** Forth and back over the small records around each boundary, and counts that begin or end there. */
    private static void checkRanges(TableFileReader file, List<Integer> lengths) throws IOException {
        int from = 0;
        for (int boundary = 0; boundary < 2; boundary++) {
            from = lengths.subList(from, lengths.size()).indexOf(SMALL_BYTES) + from;
            int to = from + SMALL_RECORDS;
            KeyRange range = KeyRange.all().from(key(2 * from), true).to(key(2 * to), false);
            assertEquals(SMALL_RECORDS, file.count(range));
            assertEquals(to, file.count(KeyRange.all().to(key(2 * to - 1), true)));
            assertEquals(lengths.size() - from - 1, file.count(KeyRange.all().from(key(2 * from), false)));
            try (EngineCursor forth = file.scan(range);
                    EngineCursor back = file.scan(range.reverse())) {
                for (int i = 0; i < SMALL_RECORDS; i++) {
                    assertTrue(forth.next());
                    assertArrayEquals(key(2 * (from + i)), forth.key());
                    assertArrayEquals(small(from + i), forth.value());
                    assertTrue(back.next());
                    assertArrayEquals(small(to - 1 - i), back.value());
                }
                assertEquals(false, forth.next() || back.next());
            }
            assertArrayEquals(key(2 * (from + 100)), file.keyAt(range, 100));
            from = to;
        }
    }
}
