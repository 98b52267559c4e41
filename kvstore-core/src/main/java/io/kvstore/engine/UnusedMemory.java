package io.kvstore.engine;

/** Who holds memory of which a part may not be used by anybody, such as pages that are kept in case they are read again. */
@FunctionalInterface
public interface UnusedMemory {

    /**
     * Lets go of memory that was not used since this was called last; called now and then while others get none, by one thread
     * at a time. Takes no lock that is held for long, and does no I/O.
     *
     * @param wantedBytes more than that need not go
     */
    Given giveBack(long wantedBytes);

    /**
     * Memory that nobody finds any more.
     *
     * @param bytes how much
     * @param free gives it to the machine and to the budget; when no call is under way that may have found it before
     */
    record Given(long bytes, Runnable free) {
        /** Nothing. */
        public static final Given NONE = new Given(0, () -> {});
    }
}
