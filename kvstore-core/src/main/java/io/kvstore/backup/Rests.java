package io.kvstore.backup;

import io.kvstore.data.Clock;
import java.util.concurrent.TimeUnit;

/**
 * The rests of a backup beside busy writers. A backup takes a processor and half of the disk, and on a machine with few
 * processors its writers lose a quarter of their speed. So the backup rests for a part of the time of its work while writers
 * are busy, and for some time afterwards: busy writers often wait for the background for seconds, and while they wait and write
 * nothing they need the processors most.
 */
final class Rests {

    /** Writers are busy that make so many operations in a second. */
    static final int BUSY_OPERATIONS = 1_000;

    /** The length of a rest, as a part of the work before it. With 60 a backup of an LSM table was slower than a copy. */
    static final int REST_PERCENT = 40;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Shorter work is not rested for yet, because a rest costs two switches of threads. */
    static final long LEAST_WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** So a backup that is to stop does so soon, and a long piece of work of another kind is not rested for as a whole. */
    static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Clock clock;
    private long lookedNanos;
    private long lookedLsn;
    private boolean wasBusy;
    private long busyNanos;
    private long workedFromNanos;

    /** @param lsn the newest one of the store */
    Rests(Clock clock, long lsn) {
        this.clock = clock;
        this.lookedNanos = clock.nanoTime();
        this.lookedLsn = lsn;
        this.workedFromNanos = lookedNanos;
    }

    /** How long to rest now. The caller does so, and then says {@link #rested}. */
    long due(long newestLsn) {
        long now = clock.nanoTime();
        look(now, newestLsn);
        long worked = now - workedFromNanos;
        boolean isBusy = wasBusy && now - busyNanos < REMEMBERED_NANOS;
        if (!isBusy) {
            workedFromNanos = now;
            return 0;
        }
        return worked < LEAST_WORK_NANOS ? 0 : Math.min(worked * REST_PERCENT / 100, LONGEST_REST_NANOS);
    }

    private void look(long now, long newestLsn) {
        long passed = now - lookedNanos;
        if (passed < LOOK_NANOS) {
            return;
        }
        if (newestLsn - lookedLsn >= BUSY_OPERATIONS * (double) passed / SECOND_NANOS) {
            wasBusy = true;
            busyNanos = now;
        }
        lookedNanos = now;
        lookedLsn = newestLsn;
    }

    void rested() {
        workedFromNanos = clock.nanoTime();
    }
}
