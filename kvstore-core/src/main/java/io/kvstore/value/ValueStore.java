package io.kvstore.value;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.policy.ValueGarbage;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentFormat;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The values of a table whose index knows with each change which value it stops pointing to: a {@link ValueLog}, and which of
 * its bytes are alive. A value never moves when the index is rearranged.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The live bytes of a segment are exactly those of the records to which the newest state of the index points. Each
 *       {@link #append} adds to them, each {@link #release} subtracts.
 *   <li>{@link #persist} syncs everything that a {@link ValueSegmentList} names before the list becomes durable. Bytes behind
 *       the listed end of a segment are cut off when the table is opened. Files that are not listed are used again or deleted.
 *       The log still has the values of both, so a crash leaves no garbage except the bytes that the list counted as waiting.
 *   <li>A segment has one lease for the newest state and for the readers of older ones, given back by {@link #unlink}. It has
 *       one for the durable list, taken by {@link #lease} and given back by {@link #committed} of a list without it.
 * </ol>
 *
 * <p>The caller holds the index's lock when it calls {@link #append}, {@link #add}, {@link #release}, {@link #takeEmptied},
 * {@link #capture}, {@link #list}, {@link #sealed} and the writer's methods of the log. Any thread may read values. One thread
 * at a time makes lists durable.
 */
public final class ValueStore implements AutoCloseable {

    /** A segment has this part of the live bytes, within its limits, so that growing and emptied segments take little room. */
    private static final int LIVE_PART = 8;

    private final Sizes sizes;
    private final ValueLog log;
    private final AtomicLong pinnedBytes = new AtomicLong();

    /** The end of the list of segments that {@link #takeEmptied} returns. */
    private @Nullable StoredSegment emptied;

    // written with release, for a fence for each value would wait for all writes to memory before it
    private final AtomicLong liveBytes = new AtomicLong();
    private final AtomicLong deadBytes = new AtomicLong();
    private long liveCount;
    private volatile long nextNumber;

    /** Bytes of the segments that were found at the opening, minus the bytes of all segments that were emptied since. */
    private long openedLessEmptiedBytes;

    private long capturedBytes;

    /** The segments that the durable list names, by number. */
    private Map<Long, StoredSegment> durable = Map.of();

    private final Set<ValueHold> holds = ConcurrentHashMap.newKeySet();

    private volatile long heldBytes;

    /**
     * The sizes of segments.
     *
     * @param leastBytes of a segment while few bytes are alive
     * @param mostBytes of a segment while many bytes are alive; exceeded only if there would be too many segments
     * @param manySegments segments are large enough that this many of them hold all live bytes
     */
    public record Sizes(long leastBytes, long mostBytes, int manySegments) {

        private static final int MANY_SEGMENTS = 4_096;

        public Sizes(long leastBytes, long mostBytes) {
            this(leastBytes, mostBytes, MANY_SEGMENTS);
        }
    }

    private ValueStore(TableContext context, Sizes sizes) {
        this.sizes = sizes;
        this.log = new ValueLog(
                context,
                new ValueLog.Sizes(sizes.mostBytes, this::segmentBytes),
                this::takeNumber,
                this::noteEmpty,
                segment -> pinnedBytes.addAndGet(-segment.end()));
    }

    /**
     * Opens the values of a table as its durable list names them.
     *
     * @throws CorruptionException if a segment differs from the list
     */
    public static ValueStore open(TableContext context, Sizes sizes, ValueSegmentList durable) throws IOException {
        ValueStore store = new ValueStore(context, sizes);
        try {
            store.openListed(durable);
            store.takeLeftovers(context);
            return store;
        } catch (Throwable e) {
            store.close();
            throw e;
        }
    }

    /**
     * Opens all segments that are in the directory of a damaged table, to be read only.
     *
     * @param losses gets headers that are damaged. The records of such a segment can be read: each says where it belongs. A
     *     file without a header was mostly left by a crash and had nothing yet
     */
    public static ValueStore openDamaged(TableContext context, Sizes sizes, Findings losses) throws IOException {
        ValueStore store = new ValueStore(context, sizes);
        try {
            Map<Long, StoredSegment> opened = new HashMap<>();
            for (String name : context.storage().list(context.directory())) {
                long number = ValueSegment.NAME.numberIn(name);
                if (number >= 0) {
                    store.nextNumber = Math.max(store.nextNumber, number + 1);
                    StoredSegment segment = DamagedSegments.open(context, store.log, number, losses);
                    if (segment != null) {
                        opened.put(number, segment.retain());
                    }
                }
            }
            store.durable = opened;
            return store;
        } catch (Throwable e) {
            store.close();
            throw e;
        }
    }

    private void openListed(ValueSegmentList list) throws IOException {
        nextNumber = list.nextNumber();
        Map<Long, StoredSegment> opened = new HashMap<>();
        for (ValueSegmentUse use : list.segments()) {
            opened.put(use.number(), log.open(use).retain()); // for the list, and for the newest state
            nextNumber = Math.max(nextNumber, use.number() + 1);
            openedLessEmptiedBytes += use.info().bytes();
            count(use.liveBytes());
            double live = (double) use.liveBytes() / use.info().bytes();
            liveCount = liveCount + Math.round(live * use.info().records());
        }
        durable = opened;
    }

    /** Files that a crash left are used again by the replay of the log. No new segment gets the number of such a file. */
    private void takeLeftovers(TableContext context) throws IOException {
        for (String name : context.storage().list(context.directory())) {
            long number = ValueSegment.NAME.numberIn(name);
            if (number >= 0 && !durable.containsKey(number)) {
                nextNumber = Math.max(nextNumber, number + 1);
                if (!context.readOnly()) {
                    log.reuse(log.path(number));
                }
            }
        }
    }

    /** The segments, without the count of live bytes. */
    public ValueLog log() {
        return log;
    }

    /** No more records than this lie in all segments. */
    public long mostRecords() {
        long bytes = 0;
        for (StoredSegment segment : log.segments()) {
            bytes += segment.end();
        }
        return bytes / ValueSegmentFormat.RECORD_HEAD_BYTES;
    }

    private long takeNumber() {
        long number = nextNumber;
        nextNumber = number + 1;
        return number;
    }

    /** A number above those of all segments that were begun. For any thread. */
    public long nextNumber() {
        return nextNumber;
    }

    private void count(long bytes) {
        long now = liveBytes.getPlain() + bytes;
        liveBytes.setRelease(now);
        deadBytes.setRelease(allBytes() - now);
    }

    /** Bytes of the segments into which something points, with headers and padding, which therefore count as dead. */
    private long allBytes() {
        return openedLessEmptiedBytes + log.addedBytes();
    }

    /** Adds a value, which counts as pointed to from now on. */
    public ValuePointer append(byte[] key, long lsn, byte[] value) {
        long offset = add(key, lsn, value);
        return new ValuePointer(log.addedTo(), offset, value.length);
    }

    /** Adds a value without heap memory. Returns its offset in the segment {@link ValueLog#addedTo}. */
    public long add(byte[] key, long lsn, byte[] value) {
        long offset = log.add(key, lsn, value);
        count(ValueSegmentFormat.recordBytes(key.length, value.length));
        liveCount = liveCount + 1;
        return offset;
    }

    /** Notes that nothing points to a value any more. */
    public void release(ValuePointer pointer, int keyLength) {
        release(pointer.segment(), pointer.recordBytes(keyLength));
    }

    /** As {@link #release(ValuePointer, int)}, for a record of that length. Takes no heap memory. */
    public void release(long number, long recordBytes) {
        StoredSegment segment = log.segment(number);
        if (segment == null) {
            throw new CorruptionException(log.path(number), -1, "is missing; the table has values in it");
        }
        count(-segment.released(recordBytes));
        liveCount = liveCount - 1;
        noteEmpty(segment);
    }

    /**
     * Notes that the index points to records of a segment that was opened. An index that has no lengths tells of all records,
     * before anything changes. Then no segment counts as empty by a damaged length while the index points into it.
     */
    public void countLive(long number, int records) {
        StoredSegment segment = log.segment(number);
        if (segment == null) {
            throw new CorruptionException(log.path(number), -1, "is missing; the table has values in it");
        }
        segment.countLive(records);
    }

    private void noteEmpty(StoredSegment segment) {
        if (segment.isSealed() && segment.liveBytes() == 0 && segment.liveRecords() <= 0) {
            segment.markEmptied();
            segment.emptiedBefore = emptied;
            emptied = segment;
            openedLessEmptiedBytes -= segment.end();
            pinnedBytes.addAndGet(segment.end());
            count(0);
        }
    }

    /**
     * Hands over the segments into which the newest state ceased to point since the last call. Older states may still point
     * into them. A segment that {@code to} fails to take stays for the next call.
     */
    public void takeEmptied(LongConsumer to) {
        while (emptied != null) {
            StoredSegment last = emptied;
            to.accept(last.number());
            emptied = last.emptiedBefore;
            last.emptiedBefore = null;
        }
    }

    /** The {@link #list} of the present state, to be made durable with it. Pads the growing segment. */
    public ValueSegmentList capture(Map<Long, Long> waitingBytes) {
        log.pad();
        count(0);
        long bytes = allBytes();
        if (capturedBytes == bytes) {
            log.rest();
        }
        capturedBytes = bytes;
        return list(waitingBytes);
    }

    /**
     * The segments into which a state points.
     *
     * @param waitingBytes by number of the segment: bytes of live records to which that state does not point yet
     */
    public ValueSegmentList list(Map<Long, Long> waitingBytes) {
        List<ValueSegmentUse> uses = new ArrayList<>();
        for (StoredSegment segment : log.segments()) {
            long bytes = segment.liveBytes() - waitingBytes.getOrDefault(segment.number(), 0L);
            if (bytes > 0) {
                uses.add(new ValueSegmentUse(segment.info(), bytes));
            }
        }
        return new ValueSegmentList(nextNumber, List.copyOf(uses));
    }

    /** Writes and syncs all segments of a captured list. A sync that fails has failed the store. */
    public void persist(ValueSegmentList captured) throws IOException {
        log.write();
        Set<Long> numbers = new HashSet<>();
        captured.segments().forEach(use -> numbers.add(use.number()));
        log.sync(numbers);
    }

    /**
     * The leases of a list that is about to become durable.
     *
     * @param segments of the list, by number
     * @param named those that the durable list does not name yet, of which leases were taken
     * @param unnamed those that only the present durable list names
     */
    public record Leases(Map<Long, StoredSegment> segments, List<StoredSegment> named, List<StoredSegment> unnamed) {}

    /**
     * Takes leases for a list that is about to become durable, so that nothing that it names goes meanwhile. Its segments must
     * still have the lease of the state that was captured.
     */
    public Leases lease(ValueSegmentList list) {
        Map<Long, StoredSegment> segments = new HashMap<>();
        for (ValueSegmentUse use : list.segments()) {
            StoredSegment segment = log.segment(use.number());
            if (segment == null) {
                throw new IllegalStateException(log.path(use.number()) + " is listed and gone");
            }
            segments.put(use.number(), segment);
        }
        Leases leases = new Leases(segments, minus(segments, durable), minus(durable, segments));
        for (int i = 0; i < leases.named.size(); i++) {
            leases.named.get(i).retain();
        }
        return leases;
    }

    /** Notes that the list is durable and replaces the list before. Takes no memory. */
    public void committed(Leases leases) {
        durable = leases.segments;
        for (int i = 0; i < leases.unnamed.size(); i++) {
            leases.unnamed.get(i).release();
        }
        countHeld();
    }

    /**
     * Holds the files of the durable list. Called where lists are made durable.
     *
     * @param list the durable list
     */
    public ValueHold hold(TableContext context, ValueSegmentList list) {
        List<StoredSegment> segments = new ArrayList<>();
        for (ValueSegmentUse use : list.segments()) {
            StoredSegment segment = durable.get(use.number());
            if (segment == null) {
                throw new IllegalStateException(log.path(use.number()) + " is in the durable list and gone");
            }
            segments.add(segment);
        }
        ValueHold hold = new ValueHold(context, list.segments(), segments, this::returned);
        if (!segments.isEmpty()) {
            holds.add(hold); // the last step that needs memory
        }
        hold.retain();
        return hold;
    }

    /** Holds that have a segment. */
    int openHolds() {
        return holds.size();
    }

    private void returned(ValueHold hold, StoredSegment segment) {
        if (hold.isReturned()) {
            holds.remove(hold);
        }
        if (segment.isEmptied()) {
            countHeld();
        }
    }

    /** Counts the bytes of segments that are left to holds. Throws nothing: without memory the last count stays. */
    private void countHeld() {
        synchronized (holds) {
            heldBytes = holds.isEmpty() ? 0 : countedHeld();
        }
    }

    private long countedHeld() {
        try {
            Map<StoredSegment, Integer> ofHolds = new HashMap<>();
            holds.forEach(hold -> hold.segments().forEach(segment -> ofHolds.merge(segment, 1, Integer::sum)));
            long bytes = 0;
            for (Map.Entry<StoredSegment, Integer> held : ofHolds.entrySet()) {
                StoredSegment segment = held.getKey();
                bytes += segment.isEmptied() && segment.leases() <= held.getValue() ? segment.end() : 0;
            }
            return bytes;
        } catch (OutOfMemoryError e) {
            return heldBytes; // writers may wait for these bytes until the next count
        }
    }

    /** Bytes of segments that only holds need. They are among {@link #pinnedBytes}. */
    public long heldBytes() {
        return heldBytes;
    }

    /** Gives up the leases of a list that surely is not durable. */
    public void giveUp(Leases leases) {
        for (int i = 0; i < leases.named.size(); i++) {
            leases.named.get(i).release();
        }
    }

    private static List<StoredSegment> minus(Map<Long, StoredSegment> some, Map<Long, StoredSegment> others) {
        List<StoredSegment> result = new ArrayList<>();
        some.forEach((number, segment) -> {
            if (!others.containsKey(number)) {
                result.add(segment);
            }
        });
        return result;
    }

    /**
     * Notes that no reader looks at an older state that points into this segment, which {@link #takeEmptied} handed over. Takes
     * no memory that it cannot do without, so that no segment is lost.
     */
    public void unlink(long number) {
        log.release(number);
        countHeld();
    }

    /** Dead bytes of the growing segment if they are at least half of it, else 0. The caller holds the index's lock. */
    public long growingDeadBytes() {
        StoredSegment growing = log.growing();
        long dead = growing == null ? 0 : growing.end() - growing.liveBytes();
        return growing != null && dead >= growing.liveBytes() ? dead : 0;
    }

    /** The sealed segments that have live bytes. {@link ValueGarbage} chooses from them. */
    public List<ValueSegmentUse> sealed() {
        return log.segments().stream()
                .filter(segment -> segment.isSealed() && segment.liveBytes() > 0)
                .map(StoredSegment::use)
                .toList();
    }

    /** The size of a segment that begins now. It gets no more records when it would become longer. */
    public long segmentBytes() {
        long live = liveBytes.getAcquire();
        return Math.max(live / sizes.manySegments, Math.clamp(live / LIVE_PART, sizes.leastBytes, sizes.mostBytes));
    }

    /** Bytes of the records that the newest state points to. */
    public long liveBytes() {
        return liveBytes.getAcquire();
    }

    /** How many values the newest state points to. Approximate after the table was opened. */
    public long liveCount() {
        return liveCount;
    }

    /** Bytes in the same segments to which nothing of the newest state points. */
    public long deadBytes() {
        return deadBytes.getAcquire();
    }

    /** Bytes of segments that only older states, the last durable list and holds need. */
    public long pinnedBytes() {
        return pinnedBytes.get();
    }

    /** The total length of the given segments, without those that were removed. */
    public long bytesOf(List<Long> numbers) {
        long bytes = 0;
        for (long number : numbers) {
            StoredSegment segment = log.segment(number);
            bytes += segment == null ? 0 : segment.end();
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
