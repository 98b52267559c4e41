package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileReader;
import io.kvstore.testkit.ModelTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** What a table file has to answer: a sorted map of the same entries. */
final class FileOracle {

    final NavigableMap<byte[], byte[]> entries = new TreeMap<>(KeyOrder.COMPARATOR);

    /** Keys of a few kinds, so that long common beginnings and keys that begin with others are among them. */
    static byte[] key(Random random) {
        byte[] key = new byte[random.nextInt(10) == 0 ? random.nextInt(40) : random.nextInt(4)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) - 2);
        }
        if (random.nextInt(3) > 0) {
            return key;
        }
        byte[] longer = new byte[12 + key.length];
        System.arraycopy(key, 0, longer, 12, key.length);
        return longer;
    }

    static byte[] value(Random random) {
        byte[] value = new byte[random.nextInt(30) == 0 ? random.nextInt(9_000) : random.nextInt(60)];
        random.nextBytes(value);
        return value;
    }

    /** Compares everything that a reader answers. */
    void check(TableFileReader file, Random random) throws IOException {
        assertEquals(entries.size(), file.info().entries());
        Findings findings = new Findings();
        file.verify(findings, Progress.NONE);
        assertEquals(List.of(), findings.kept());
        for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
            SmallFiles.requireSame(entry.getValue(), file.get(entry.getKey()), entry.getKey());
        }
        for (int i = 0; i < 300; i++) {
            byte[] key = key(random);
            if (!entries.containsKey(key)) {
                assertNull(file.get(key), () -> KeyOrder.display(key));
                assertFalse(file.contains(key));
            }
        }
        checkRange(file, KeyRange.all());
        checkRange(file, KeyRange.all().reverse());
        for (int i = 0; i < 100; i++) {
            checkRange(file, range(random));
        }
    }

    static KeyRange range(Random random) {
        KeyRange range = KeyRange.all();
        if (random.nextInt(4) > 0) {
            range = range.from(key(random), random.nextBoolean());
        }
        if (random.nextInt(4) > 0) {
            range = range.to(key(random), random.nextBoolean());
        }
        return random.nextBoolean() ? range : range.reverse();
    }

    private void checkRange(TableFileReader file, KeyRange range) throws IOException {
        List<byte[]> keys = new ArrayList<>();
        try (EngineCursor cursor = file.scan(range)) {
            for (Map.Entry<byte[], byte[]> entry :
                    ModelTable.inRange(entries, range).entrySet()) {
                byte[] key = entry.getKey();
                assertTrue(cursor.next(), () -> range + " ends before " + KeyOrder.display(key));
                assertArrayEquals(key, cursor.key(), range::toString);
                SmallFiles.requireSame(entry.getValue(), cursor.value(), key);
                keys.add(key);
            }
            assertFalse(cursor.next(), range::toString);
        }
        assertEquals(keys.size(), file.count(range), range::toString);
        assertEquals(Math.min(3, keys.size()), file.count(range.limit(3)), range::toString);
        for (int index : new int[] {0, keys.size() / 2, keys.size() - 1}) {
            if (index >= 0 && index < keys.size()) {
                assertArrayEquals(keys.get(index), file.keyAt(range, index), range::toString);
            }
        }
        assertNull(file.keyAt(range, keys.size()));
        byte[] last = null;
        for (byte[] separator : file.separators(range, 4)) {
            assertTrue(last == null || KeyOrder.compare(last, separator) < 0);
            last = separator;
        }
    }
}
