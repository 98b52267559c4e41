package io.kvstore.hash.table;

import io.kvstore.data.Clock;
import io.kvstore.engine.ParallelReads;
import io.kvstore.error.CorruptionException;
import java.io.IOException;

/**
 * Brings the next records of a walk into memory many at a time, while they come from the disk. Each lies elsewhere, so the walk
 * would wait for the disk once for each. In memory the walk reads them faster than anybody could help.
 */
final class ReadAhead {

    private static final int ENTRIES = 64;

    /** An entry from memory takes a microsecond, one from a disk 50 and more. */
    private static final long SLOW_NANOS = 30_000;

    private final Clock clock;
    private final ParallelReads files;

    /** Of this walk: others may walk over other records, and writers have their own. */
    private final ParallelReads.Pace pace = new ParallelReads.Pace();

    /** The walk has looked up to here. */
    private int end;

    private int begin;
    private long begunNanos;
    private boolean wereBrought;

    ReadAhead(Clock clock, ParallelReads files) {
        this.clock = clock;
        this.files = files;
    }

    /** The walk has other entries now, from the first one on. */
    void restart() {
        begin = 0;
        end = 0;
    }

    /**
     * Called before each entry.
     *
     * @param at the index of the entry
     * @param count how many entries there are
     * @param touch reads some bytes of an entry; a failure is passed over, because the walk reads the entry again
     */
    void before(int at, int count, ParallelReads.Read touch) throws IOException {
        if (at < end) {
            return;
        }
        long now = clock.nanoTime();
        boolean areOfDisk = wereBrought ? pace.isSlow() : now - begunNanos > SLOW_NANOS * (at - begin) && at > begin;
        begin = at;
        end = Math.min(count, at + ENTRIES);
        wereBrought = areOfDisk && end > at + 1;
        if (wereBrought) {
            files.of(end - at, pace, number -> {
                        try {
                            touch.read(at + number);
                        } catch (IOException | CorruptionException e) {
                            // the walk says so when it comes to this entry
                        }
                    })
                    .run();
        }
        begunNanos = clock.nanoTime();
    }
}
