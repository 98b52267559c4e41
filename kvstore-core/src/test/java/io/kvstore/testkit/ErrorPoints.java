package io.kvstore.testkit;

import io.kvstore.data.Clock;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Throws what a plan says at the places that a store reaches. It is the store's clock too, which goes with the time of the
 * machine, so that engines that are wrapped find it in their context.
 */
final class ErrorPoints implements Clock, HookedStorage.Hook {

    /** What they give has to be closed by who called, who would not have it. */
    private static final Set<String> GIVING =
            Set.of("create", "open", "openReadOnly", "map", "mapReadOnly", "lock", "renew");

    private static final Set<String> UNCOUNTED = Set.of("openResources", "path", "bytes", "memory", "isClosed");

    private final ErrorPlan plan;
    private final AtomicLong reached = new AtomicLong();
    private final AtomicLong thrown = new AtomicLong();
    private volatile boolean armed;

    ErrorPoints(ErrorPlan plan) {
        this.plan = plan;
    }

    void arm() {
        armed = true;
    }

    void disarm() {
        armed = false;
    }

    /** How many places were reached. */
    long reached() {
        return reached.get();
    }

    /** How often something was thrown. */
    long thrown() {
        return thrown.get();
    }

    /** A place is reached. */
    void reach(ErrorPlan.Place place) {
        if (isDue(place)) {
            throw plan.error().make();
        }
    }

    private boolean isDue(ErrorPlan.Place place) {
        if (!armed || !plan.places().contains(place)) {
            return false;
        }
        long index = reached.getAndIncrement();
        boolean due = index >= plan.at() && index < plan.at() + plan.times();
        if (due) {
            thrown.incrementAndGet();
        }
        return due;
    }

    @Override
    public long nanoTime() {
        reach(ErrorPlan.Place.CLOCK);
        return System.nanoTime();
    }

    @Override
    public @Nullable Object call(String name, String path, HookedStorage.Proceed proceed) throws Throwable {
        boolean isDue = !UNCOUNTED.contains(name) && isDue(ErrorPlan.Place.STORAGE);
        boolean isAfter = name.equals("close") || (reached.get() % 2 == 0 && !GIVING.contains(name));
        if (isDue && !isAfter) {
            throw plan.error().make();
        }
        Object result = proceed.call();
        if (isDue) {
            throw plan.error().make();
        }
        return result;
    }
}
