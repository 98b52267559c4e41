package io.kvstore.hash.table;

import io.kvstore.engine.ParallelReads;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.value.segment.Probe;
import io.kvstore.value.segment.ValueRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the record at a place has a key, for a thread with the lock of the table. Such a thread reads no file. A record
 * that is neither in memory nor mapped is noted, and read after the thread gave the lock back. What was read stays true while
 * the segment of the place is there.
 *
 * <p>What pending changes replace is shared by all writers, and forgotten when it is much. What an operation asks for is kept
 * for its thread until it is applied or its read fails, whatever others do meanwhile. So an operation reads each record once,
 * however many it has and however many writers there are. An operation may be refused later, by another table or for want of
 * room. Then the next one of its thread drops what it had, or {@link #forgetAbandoned} does.
 *
 * <p>The record is not checked, as its value is not read. A record whose key is damaged counts as another key's, and stays. A
 * damaged length makes the count of live bytes wrong, so a segment also has a count of the records to which entries lead. A
 * file that cannot be read now may be read later: then the write fails, because a second entry of a key would be found later.
 */
final class Looks {

    private static final long MOST_BYTES = 4 << 20;

    /** To touch records that are in memory takes a few microseconds for all of them. */
    private static final long SLOW_NANOS = 100_000;

    /** Where more than this part of the records comes from files, changes wait for each other, and their reads do not. */
    private static final int DISK_PART = 4;

    /** An operation that comes again does so sooner, or after a few time-outs of stalled writers. */
    private static final long ABANDONED_MILLIS = 600_000;

    private static final int STALLS = 4;
    private static final long NANOS_OF_MILLI = 1_000_000;

    private final Records records;
    private final ParallelReads files;
    private final TableContext context;
    private final ParallelReads.Pace pace = new ParallelReads.Pace();
    private final SeenHeads ofPending = new SeenHeads();

    /** Operations that have read records and are not applied yet, by their threads. */
    private final Map<Thread, Needed> needed = new ConcurrentHashMap<>();

    private ArrayList<Long> missing = new ArrayList<>();
    private final AtomicLong reads = new AtomicLong();
    private long missed;
    private boolean wereSlow;
    private boolean areOfDisk;
    private volatile boolean isReplaying = true;

    /** What an operation has read. */
    private static final class Needed {

        private final SeenHeads heads = new SeenHeads();
        private volatile boolean isBeingRead;
        private volatile long sinceNanos;
    }

    Looks(Records records, ParallelReads files, TableContext context) {
        this.records = records;
        this.files = files;
        this.context = context;
    }

    /** Whether the record at a place is a key's. Notes the place if that is not known. */
    boolean isOfKey(long place, byte[] key, Probe into) {
        Probe.Answer answer = records.tryProbe(place, key, into);
        if (answer != Probe.Answer.UNKNOWN) {
            return answer == Probe.Answer.SAME_KEY;
        }
        SeenHeads.Seen seen = seen(place);
        if (seen == null) {
            missing.add(place);
            return false;
        }
        ValueRecord.Head head = seen.head();
        if (head == null) {
            return false;
        }
        into.found(head.valueLength(), head.lsn());
        return Arrays.equals(head.key(), key);
    }

    private SeenHeads.@Nullable Seen seen(long place) {
        long segment = records.segment(place);
        Needed own = needed.isEmpty() ? null : needed.get(Thread.currentThread());
        SeenHeads.Seen seen = own == null ? null : own.heads.get(place, segment);
        return seen == null ? ofPending.get(place, segment) : seen;
    }

    /** What pending changes need to be read before the records that were asked for are known; null if they are known. */
    TableEngine.@Nullable Load takeMissing() {
        return missing.isEmpty() ? null : load(ofPending);
    }

    /** As {@link #takeMissing}, for an operation of this thread. */
    TableEngine.@Nullable Load takeMissingOfOperation() {
        if (missing.isEmpty()) {
            return null;
        }
        Needed own = needed.computeIfAbsent(Thread.currentThread(), _ -> new Needed());
        own.sinceNanos = context.clock().nanoTime();
        TableEngine.Load load = load(own.heads);
        return () -> read(own, load);
    }

    private void read(Needed own, TableEngine.Load load) throws IOException {
        boolean isDone = false;
        try {
            own.isBeingRead = true;
            load.run();
            isDone = true;
        } finally {
            own.sinceNanos = context.clock().nanoTime();
            own.isBeingRead = false;
            if (!isDone) {
                operationEnded();
            }
        }
    }

    private TableEngine.Load load(SeenHeads into) {
        List<Long> places = missing;
        missing = new ArrayList<>();
        missed += places.size();
        return files.of(places.size(), pace, number -> look(places.get(number), into));
    }

    /** Reads that bring records into memory: a thread with the lock finds them there, and reads no file. */
    TableEngine.Load bring(long[] places) {
        return files.of(places.length, pace, number -> bring(places[number]));
    }

    private void bring(long place) throws IOException {
        if (!records.tryTouch(place)) {
            look(place, ofPending);
        }
    }

    /** Notes that records were touched with the lock, and how long that took. */
    void noteTouched(long nanos) {
        wereSlow |= nanos > SLOW_NANOS;
    }

    /** Notes that pending changes came into the index, and whether their old records were brought into memory before. */
    void noteSettled(int changes, boolean wereBrought) {
        areOfDisk = wereBrought ? pace.isSlow() : wereSlow || missed > changes / DISK_PART;
        wereSlow = false;
        missed = 0;
    }

    /** Whether many of the records that the last changes replaced came from the disk. Only a hint. */
    boolean areOfDisk() {
        return areOfDisk;
    }

    /** Any thread, and several at a time. */
    private void look(long place, SeenHeads into) throws IOException {
        long segment = records.segment(place);
        if (into.get(place, segment) != null) {
            return; // another writer asked for it, too
        }
        try {
            ValueRecord.Head read = records.head(place);
            reads.incrementAndGet();
            if (read != null) {
                into.add(place, segment, read);
            }
        } catch (CorruptionException e) {
            Notices.warning(Looks.class, e.file(), "nobody knows to which key a damaged record belongs", e);
            into.addDamaged(place, segment); // a write of its key is added beside it
        } catch (IOException e) {
            if (!isReplaying) {
                throw e;
            }
            // only this table fails then; the log keeps what was written
            throw new CorruptionException(records.path(place), records.offsetOf(place), "cannot be read: " + e);
        }
    }

    void recovered() {
        isReplaying = false;
    }

    /** Called when an operation ends early, also where there is no memory: the places that it has noted may be many. */
    void dropMissing() {
        if (!missing.isEmpty()) {
            missing.clear();
            missing.trimToSize();
        }
    }

    /** Called when an operation of this thread is applied, or refused. */
    void operationEnded() {
        if (!needed.isEmpty()) {
            needed.remove(Thread.currentThread());
        }
    }

    /** Called now and then: forgets the records that were read for operations that do not come again. */
    void forgetAbandoned() {
        long most = Math.max(ABANDONED_MILLIS, STALLS * context.stallTimeoutMillis()) * NANOS_OF_MILLI;
        long now = context.clock().nanoTime();
        needed.forEach((thread, one) -> {
            if (!thread.isAlive() || (!one.isBeingRead && now - one.sinceNanos > most)) {
                needed.remove(thread, one);
            }
        });
    }

    /**
     * Called when an operation was reserved. Pending changes that still wait look again. They are few, and no operation is
     * reserved while there is no room for one more.
     */
    void forgetMany() {
        if (ofPending.bytes() > MOST_BYTES) {
            ofPending.clear();
        }
    }

    /** Called when the first segments have gone. Their places may come again some day. */
    void forgetGone() {
        ofPending.forgetBefore(records.first());
    }

    /** How many records were read from a file before a write. */
    long reads() {
        return reads.get();
    }
}
