package io.kvstore.hash.table;

import io.kvstore.error.CorruptionException;
import io.kvstore.value.ValueStore;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.Probe;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecord;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The records of a table, by their places. What changes them is called with the lock of the table. */
public final class Records {

    private static final byte[] NO_KEY = {};

    private final ValueStore values;
    private final long[] touchedNumbers = new long[PendingChanges.MOST];
    private final long[] touchedOffsets = new long[PendingChanges.MOST];

    /**
     * No segment has a lower number. It only rises. A reader with an old place may be led to a segment that is not there yet,
     * which is as if the segment were gone.
     */
    private volatile long firstSegment;

    Records(ValueStore values) {
        this.values = values;
        noteFirst();
    }

    public ValueStore values() {
        return values;
    }

    /** Called after segments may have gone. Returns whether the first one is another one now. */
    boolean noteFirst() {
        List<StoredSegment> all = values.log().segments();
        long first = all.isEmpty() ? values.nextNumber() : all.getFirst().number();
        boolean hasMoved = first != firstSegment;
        firstSegment = first;
        return hasMoved;
    }

    /** Notes that places may lie in a segment that is missing. For a damaged table, which is only read. */
    void expect(long number) {
        firstSegment = Math.min(firstSegment, number);
    }

    /** There are at most so many segments. */
    long numbersUsed() {
        return values.nextNumber() - firstSegment;
    }

    /** How many numbers of segments are left before a new one could be mistaken for the oldest. */
    long numbersLeft() {
        return Places.SPAN - numbersUsed();
    }

    /** The oldest number that a segment should have. Older ones are emptied, so that there are always numbers left. */
    public long oldestWanted() {
        return values.nextNumber() - Places.SPAN / 2;
    }

    /** Adds a record, for which memory was reserved. Returns its place. */
    long add(byte[] key, long lsn, byte[] value) {
        long offset = values.add(key, lsn, value);
        return Places.of(values.log().addedTo(), offset);
    }

    /** Notes that the index does not lead to a record any more. */
    void release(long place, int keyLength, int valueLength) {
        values.release(segment(place), ValuePointer.recordBytes(keyLength, valueLength));
    }

    /** A number that no segment is below. */
    long first() {
        return firstSegment;
    }

    /** The number of the segment in which a place lies. */
    public long segment(long place) {
        return Places.segment(place, firstSegment);
    }

    static long placeOf(ValuePointer pointer) {
        return Places.of(pointer.segment(), pointer.offset());
    }

    /** Prefetches the heads of records. The result has no meaning. */
    long touch(long[] places, int count) {
        for (int i = 0; i < count; i++) {
            touchedNumbers[i] = segment(places[i]);
            touchedOffsets[i] = Places.offset(places[i]);
        }
        return values.log().touchHeads(touchedNumbers, touchedOffsets, count);
    }

    Probe.Answer tryProbe(long place, byte[] key, Probe into) {
        return values.log().tryProbe(segment(place), Places.offset(place), key, into);
    }

    @Nullable
    StoredValue tryRead(long place, byte[] key, @Nullable LentValue lent) {
        return values.log().tryRead(segment(place), Places.offset(place), key, lent);
    }

    /** Reads the first bytes of a record if it is in memory or mapped. Returns false if it has to be read from a file. */
    boolean tryTouch(long place) {
        return tryProbe(place, NO_KEY, new Probe()) != Probe.Answer.UNKNOWN;
    }

    ValueRecord.@Nullable Head head(long place) throws IOException {
        return values.log().head(segment(place), Places.offset(place));
    }

    /** The record at a place, or null if it has gone. */
    public @Nullable ValueRecord record(long place) throws IOException {
        return values.log().record(segment(place), Places.offset(place));
    }

    /** An entry leads to a record whose key has another hash than the entry. The key of the entry is not known. */
    public CorruptionException ofOtherKey(long place) {
        return new CorruptionException(
                path(place), offsetOf(place), "an entry leads to the record of a key with another hash");
    }

    /** The path of the file in which a place lies. */
    public String path(long place) {
        return values.log().path(segment(place));
    }

    /** Called for each segment of a table that is opened, with a place in it and the number of its entries. */
    void count(long place, int entries) {
        values.countLive(segment(place), entries);
    }

    public long offsetOf(long place) {
        return Places.offset(place);
    }
}
