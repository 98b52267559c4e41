package io.kvstore.bench.maps;

import io.kvstore.bench.store.Shape;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Does the work of one thread, and checks every value that the map returns. */
final class MapSteps {

    /** The first value of an entry is {@link Shape#mix} of its number, and each later value is one more. */
    private static final int FIRST = 0;

    private static final int AGAIN = 1;
    private static final int MIXED = 2;
    private static final int OVER = 3;
    private static final int LAST = 4;

    private final MapRun run;
    private final LongMap map;
    private final Map<Long, Long> calls;
    private final SplittableRandom random;

    MapSteps(MapRun run, LongMap map, int thread) {
        this.run = run;
        this.map = map;
        this.calls = map.map();
        this.random = new SplittableRandom(thread);
    }

    /** Does the steps of a kind of work with numbers from {@code from} to below {@code to}, as far as there are entries. */
    void work(MapWork work, long from, long to) {
        long end = Math.min(to, run.entries());
        for (long number = from; number < end; number++) {
            step(work, number);
        }
    }

    private void step(MapWork work, long number) {
        switch (work) {
            case INSERT -> set(number, FIRST);
            case READ -> get(number, FIRST, FIRST);
            case DELETE -> remove(number, FIRST);
            case REINSERT -> set(number, AGAIN);
            case GET -> get(random.nextLong(run.entries()), AGAIN, AGAIN);
            case MIXED -> getOrSet(random.nextLong(run.entries()));
            case PUT_OVER -> check(number, calls.put(key(number), value(number, OVER)), AGAIN, MIXED);
            case EMPTY -> remove(number, OVER);
            case PUT -> put(number);
            case CHECK -> get(number, LAST, LAST);
        }
    }

    private Long key(long number) {
        return run.keys().key(number);
    }

    private static Long value(long number, int version) {
        return Shape.mix(number) + version;
    }

    private void set(long number, int version) {
        map.set(calls, key(number), value(number, version));
    }

    private void get(long number, int oldest, int newest) {
        check(number, calls.get(key(number)), oldest, newest);
    }

    private void getOrSet(long number) {
        if (random.nextBoolean()) {
            set(number, MIXED);
        } else {
            get(number, AGAIN, MIXED);
        }
    }

    private void remove(long number, int version) {
        check(number, calls.remove(key(number)), version, version);
    }

    private void put(long number) {
        Long old = calls.put(key(number), value(number, LAST));
        if (old != null) {
            throw new IllegalStateException("entry " + number + " was removed and had the value " + old);
        }
    }

    private static void check(long number, @Nullable Long found, int oldest, int newest) {
        if (found == null) {
            throw new IllegalStateException("entry " + number + " is missing");
        }
        long version = found - Shape.mix(number);
        if (version < oldest || version > newest) {
            throw new IllegalStateException("entry " + number + " has the wrong value " + found);
        }
    }
}
