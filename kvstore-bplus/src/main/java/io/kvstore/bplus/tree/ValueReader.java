package io.kvstore.bplus.tree;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.HintCounter;
import io.kvstore.error.CorruptionException;
import io.kvstore.value.ValueIndex;
import io.kvstore.value.ValueStore;
import io.kvstore.value.policy.NearValues;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecords;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueWindows;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Follows pointers from leaves to values. */
public final class ValueReader {

    /** A reader that finds this many old pointers in a row looks at a damaged tree. */
    private static final int MAX_ATTEMPTS = 10_000;

    private final ValueStore values;
    private final ValueIndex index;
    private final DurabilityBarrier barrier;
    private final String file;

    private final HintCounter scattered = new HintCounter();

    /** @param file the file of the pages, which have the pointers */
    public ValueReader(ValueStore values, ValueIndex index, DurabilityBarrier barrier, String file) {
        this.values = values;
        this.index = index;
        this.barrier = barrier;
        this.file = file;
    }

    /**
     * The newest value of a key, or the answer that it has none. Null if layers and tree have to be asked: also where that
     * answer rests on an operation that is not durable yet, because the tree knows an earlier one.
     *
     * @param applied the last operation that counts: values of later ones may belong to an operation that is being applied
     * @param lent takes the value if it can; then the answer has {@link LentValue#ELSEWHERE}
     */
    public @Nullable StoredValue readNewest(byte[] key, long applied, @Nullable LentValue lent) {
        StoredValue found = index.find(key, applied, lent);
        return found == null || found.value() != null || barrier.isPassed(found.lsn()) ? found : null;
    }

    /** The value of a key as an open snapshot sees it. Null if the index does not know it, or has a later one. */
    public @Nullable StoredValue readKnown(byte[] key, long lsn) {
        StoredValue found = index.find(key, lsn);
        return found == null || found.value() == null ? null : found;
    }

    /** The newest operation that earlier reads can rest on. It may still be in the middle of being applied. */
    long newestLsn() {
        return index.places().lsn();
    }

    /** Called when a key is not in the tree and the index did not know that. */
    void missed() {
        index.noteSearch();
    }

    /**
     * The value that a pointer leads to. Null if the pointer is old: its value was moved, replaced or removed after the
     * pointer was read, and the old place is gone.
     *
     * @param attempt how many times null was returned before
     * @param lent takes the value if it can; then {@link LentValue#ELSEWHERE} is returned
     */
    byte @Nullable [] read(byte[] key, byte[] payload, int attempt, @Nullable LentValue lent) throws IOException {
        return read(key, ValuePointer.read(new ByteReader(file, payload)), attempt, lent);
    }

    /** As {@link #read(byte[], byte[], int, LentValue)}, of a pointer. */
    public byte @Nullable [] read(byte[] key, ValuePointer pointer, int attempt, @Nullable LentValue lent)
            throws IOException {
        index.noteSearch();
        values.log().noteRead();
        if (values.log().lend(pointer, ValueSegment.ANY_LSN, lent)) {
            return LentValue.ELSEWHERE;
        }
        byte[] value = values.log().read(pointer, key);
        if (value == null && attempt >= MAX_ATTEMPTS) {
            throw new CorruptionException(file, -1, "points to " + pointer + ", which is not there");
        }
        return value;
    }

    /** Counts values that cursors read and that were not near the value before. */
    public HintCounter scattered() {
        return scattered;
    }

    /** Reads values of one kept state, in order, or in reverse with step -1. */
    Ahead ahead(int step, long mostEntries) {
        return new Ahead(step, mostEntries);
    }

    /**
     * Reads the values of a cursor. Values lie in the order in which they were put, so a scan would wait for memory at each
     * of them. Instead, the pages and lines of the next few values are asked for at once.
     */
    final class Ahead {

        private static final int FIRST = 2;
        private static final int MOST = 16;

        private final int step;
        private final @Nullable ValuePointer[] pointers = new ValuePointer[MOST];
        private @Nullable LeafView leaf;
        private int begin;
        private int length;
        private int wanted = FIRST;
        private final NearValues near = new NearValues();
        private final ValueWindows windows;
        private int far;

        private Ahead(int step, long mostEntries) {
            this.step = step;
            this.windows = new ValueWindows(mostEntries);
        }

        /** The value that an entry of a leaf points to. It is valid until the next value is read. */
        Slice read(LeafView at, int index, byte[] key) throws IOException {
            int place = (index - begin) * step;
            if (!at.equals(leaf) || place < 0 || place >= length) {
                lookAhead(at, index, key.length);
                place = 0;
            }
            ValuePointer pointer = pointers[place];
            ValueRecords.Owner owner = new ValueRecords.Owner(key, key.length, ValueSegment.ANY_LSN);
            Slice value = pointer == null ? null : values.log().read(pointer, owner, windows);
            if (value == null) {
                throw new CorruptionException(file, -1, "points to " + pointer + ", which is not there");
            }
            return value;
        }

        void close() {
            scattered.add(far);
        }

        private void lookAhead(LeafView at, int index, int keyLength) throws IOException {
            values.log().noteRead();
            leaf = at;
            begin = index;
            length = 0;
            boolean isApart = true;
            for (int i = index; i >= 0 && i < at.count() && length < wanted && isApart; i += step) {
                ValuePointer pointer = at.pointer(i);
                pointers[length++] = pointer;
                isApart = pointer != null;
            }
            int touched = 0;
            for (int i = 0; i < length; i++) {
                ValuePointer pointer = pointers[i];
                if (pointer != null && near.follow(pointer, keyLength) != NearValues.Place.NEAR) {
                    far++;
                    touched |= values.log().touch(pointer);
                }
            }
            // depends on the bytes that were read, or else they would not be read
            wanted = Math.min(2 * wanted, touched == Integer.MIN_VALUE ? FIRST : MOST);
        }
    }
}
