package io.kvstore.lsm.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.error.CorruptionException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ValueReferencesTest {

    private static ValueReferences written(ValueReferences references) {
        ByteWriter out = new ByteWriter();
        references.write(out);
        return ValueReferences.read(new ByteReader("f", out.toArray()));
    }

    @Test
    void counts_are_exact() {
        SplittableRandom random = new SplittableRandom(6);
        ValueReferences.Builder builder = new ValueReferences.Builder();
        assertEquals(0, written(builder.build()).size());
        Map<Long, Long> expected = new TreeMap<>();
        for (int i = 0; i < 10_000; i++) {
            long segment = random.nextLong(1, 40);
            long bytes = random.nextLong(1, 1L << random.nextInt(1, 40));
            builder.add(segment, bytes);
            expected.merge(segment, bytes, Long::sum);
        }
        ValueReferences references = written(builder.build());
        assertEquals(builder.build(), references);
        Map<Long, Long> found = new TreeMap<>();
        for (int i = 0; i < references.size(); i++) {
            found.put(references.segment(i), references.bytes(i));
        }
        assertEquals(expected, found);
    }

    @Test
    void disorder_is_corruption() {
        for (long[] bad :
                new long[][] {{2, 0, 5}, {1, 5, 0}, {1, 5, -1}, {2, 5, 1, 5, 1}, {2, 5, 1, 4, 1}, {3, 1, 1}}) {
            ByteWriter out = new ByteWriter();
            for (long number : bad) {
                out.varint(number);
            }
            byte[] bytes = out.toArray();
            assertThrows(CorruptionException.class, () -> ValueReferences.read(new ByteReader("f", bytes)));
        }
    }
}
