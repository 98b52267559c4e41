package io.kvstore.hash.table;

import io.kvstore.engine.ParallelReads;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the record at a place has a key, for a thread with the lock of the table. Such a thread reads no file. A record
 * that is neither in memory nor mapped is noted, and read after the thread gave the lock back. What was read stays true while
 * the segment of the place is there. All is forgotten when the first segments have gone.
 *
 * <p>The record is not checked, as its value is not read. A record whose key is damaged counts as another key's, and stays. A
 * damaged length makes the count of live bytes wrong, so a segment also has a count of the records to which entries lead. A
 * file that cannot be read now may be read later: then the write fails, because a second entry of a key would be found later.
 */
final class Looks {

    private static final long MOST_BYTES = 4 << 20;
    private static final int RECORD_BYTES = 100;

    /** To touch records that are in memory takes a few microseconds for all of them. */
    private static final long SLOW_NANOS = 100_000;

    /** Where more than this part of the records comes from files, changes wait for each other, and their reads do not. */
    private static final int DISK_PART = 4;

    private final Records records;
    private final ParallelReads files;
    private final Map<Long, ValueRecord.Head> seen = new ConcurrentHashMap<>();

    /** Places whose records cannot be read. They count as other keys'. */
    private final Set<Long> damaged = ConcurrentHashMap.newKeySet();

    private final AtomicLong seenBytes = new AtomicLong();
    private final List<Long> missing = new ArrayList<>();
    private final AtomicLong reads = new AtomicLong();
    private long missed;
    private boolean wereSlow;
    private boolean areOfDisk;
    private volatile boolean isReplaying = true;

    Looks(Records records, ParallelReads files) {
        this.records = records;
        this.files = files;
    }

    /** Whether the record at a place is a key's. Notes the place if that is not known. */
    boolean isOfKey(long place, byte[] key, Probe into) {
        Probe.Answer answer = records.tryProbe(place, key, into);
        if (answer != Probe.Answer.UNKNOWN) {
            return answer == Probe.Answer.SAME_KEY;
        }
        ValueRecord.Head read = seen.get(place);
        if (read == null) {
            if (!damaged.contains(place)) {
                missing.add(place);
            }
            return false;
        }
        into.found(read.valueLength(), read.lsn());
        return Arrays.equals(read.key(), key);
    }

    /** What is to be read before the records that were asked for are known; null if they are known. */
    TableEngine.@Nullable Load takeMissing() {
        if (missing.isEmpty()) {
            return null;
        }
        List<Long> places = List.copyOf(missing);
        missing.clear();
        missed += places.size();
        return files.of(places.size(), number -> look(places.get(number)));
    }

    /** Reads that bring records into memory: a thread with the lock finds them there, and reads no file. */
    TableEngine.Load bring(long[] places) {
        return files.of(places.length, number -> bring(places[number]));
    }

    private void bring(long place) throws IOException {
        if (!records.tryTouch(place)) {
            look(place);
        }
    }

    /** Notes that records were touched with the lock, and how long that took. */
    void noteTouched(long nanos) {
        wereSlow |= nanos > SLOW_NANOS;
    }

    /** Notes that pending changes came into the index, and whether their old records were brought into memory before. */
    void noteSettled(int changes, boolean wereBrought) {
        areOfDisk = wereBrought ? files.areSlow() : wereSlow || missed > changes / DISK_PART;
        wereSlow = false;
        missed = 0;
    }

    /** Whether many of the records that the last changes replaced came from the disk. Only a hint. */
    boolean areOfDisk() {
        return areOfDisk;
    }

    /** Any thread, and several at a time. */
    private void look(long place) throws IOException {
        if (seen.containsKey(place) || damaged.contains(place)) {
            return; // another writer asked for it, too
        }
        ValueRecord.Head read = read(place);
        reads.incrementAndGet();
        if (read != null && seen.put(place, read) == null) {
            seenBytes.addAndGet(RECORD_BYTES + read.key().length);
        }
    }

    private ValueRecord.@Nullable Head read(long place) throws IOException {
        try {
            return records.head(place);
        } catch (CorruptionException e) {
            Notices.warning(Looks.class, e.file(), "nobody knows to which key a damaged record belongs", e);
            damaged.add(place); // a write of its key is added beside it
            return null;
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

    /** Called when an operation was reserved: it needs nothing of this any more, and others that do look again. */
    void forgetMany() {
        if (seenBytes.get() > MOST_BYTES) {
            forget();
        }
    }

    void forget() {
        seenBytes.set(0);
        seen.clear();
        damaged.clear();
    }

    /** How many records were read from a file before a write. */
    long reads() {
        return reads.get();
    }
}
