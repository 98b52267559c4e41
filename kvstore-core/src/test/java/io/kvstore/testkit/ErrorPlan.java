package io.kvstore.testkit;

import java.util.Set;

/**
 * Which Error is thrown, and where.
 *
 * @param places that are counted; elsewhere nothing is thrown
 * @param at the place that throws, counted from 0 while the store is at work
 * @param times how many in a row throw from there on
 * @param error what is thrown
 */
record ErrorPlan(Set<Place> places, long at, int times, Kind error) {

    /** Where a store can meet an Error. */
    enum Place {
        /** A call of the storage, before or after its work. */
        STORAGE,
        /** A thread for a task. */
        THREAD,
        /** A reservation, before or after the engine made it. */
        RESERVE,
        /** An operation, before or after the engine applied it. */
        APPLY,
        /** A look at the clock. */
        CLOCK
    }

    /** What is thrown. */
    enum Kind {
        OUT_OF_MEMORY,
        STACK_OVERFLOW;

        Error make() {
            return switch (this) {
                case OUT_OF_MEMORY -> new OutOfMemoryError("injected");
                case STACK_OVERFLOW -> new StackOverflowError("injected");
            };
        }
    }
}
