package io.kvstore.sealed.read;

import io.kvstore.bytes.Slice;
import io.kvstore.sealed.format.PackedBlock;
import io.kvstore.sealed.format.RecordHead;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The records of one block in memory, checked. For use by one thread, for one block after the other. */
final class RecordBlock {

    private static final int FEW_RECORDS = 64;

    private final Records records;
    private byte[] array = new byte[0];
    private long number = -1;
    private int count;
    private @Nullable PackedBlock packed;

    /** Where each record's key begins, and the packed front of the record. */
    private int[] keyStarts = new int[FEW_RECORDS];

    private long[] heads = new long[FEW_RECORDS];

    RecordBlock(Records records) {
        this.records = records;
    }

    int count() {
        return count;
    }

    long number() {
        return number;
    }

    /** Reads and checks a block, unless it is the present one. */
    void load(long block) throws IOException {
        if (block == number) {
            return;
        }
        number = -1;
        count = 0;
        records.load(block, this);
        number = block;
    }

    /** An array of at least so many bytes. The memory of a much longer one is given back. */
    byte[] room(int bytes) {
        array = PackedBlock.room(array, bytes);
        return array;
    }

    /** A block to unpack into, whose array is shown next. */
    PackedBlock packed(PackedBlock.Source source) {
        PackedBlock present = packed;
        if (present == null) {
            present = new PackedBlock(source);
            packed = present;
        }
        return present;
    }

    /** Sets the array that has the records. */
    void show(byte[] records) {
        array = records;
    }

    void add(int keyStart, long head) {
        if (count == heads.length) {
            keyStarts = Arrays.copyOf(keyStarts, 2 * count);
            heads = Arrays.copyOf(heads, 2 * count);
        }
        keyStarts[count] = keyStart;
        heads[count++] = head;
    }

    int keyStart(int record) {
        return keyStarts[record];
    }

    long head(int record) {
        return heads[record];
    }

    byte[] key(int record) {
        int start = keyStarts[record];
        return Arrays.copyOfRange(array, start, start + RecordHead.keyBytes(heads[record]));
    }

    Slice value(int record) {
        int start = keyStarts[record] + RecordHead.keyBytes(heads[record]);
        return new Slice(array, start, RecordHead.valueBytes(heads[record]));
    }

    int compareKey(int record, byte[] key) {
        int start = keyStarts[record];
        return Arrays.compareUnsigned(array, start, start + RecordHead.keyBytes(heads[record]), key, 0, key.length);
    }

    /** The first record whose key is not below a key, or, if {@code above}, is above it; the count if there is none. */
    int ceiling(byte[] key, boolean above) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = compareKey(middle, key);
            if (order < 0 || (above && order == 0)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
