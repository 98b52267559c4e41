package io.kvstore.engine;

/** Who holds memory of which a part may not be used by anybody, such as pages that are kept in case they are read again. */
public interface UnusedMemory {

    /**
     * Whether nobody used any of it since this was called last. Called now and then by one thread, for all there are, where
     * memory is nearly taken; so it costs next to nothing.
     */
    boolean isUnused();

    /**
     * Lets go of memory that was not used since this was called last; called now and then while others get none, by one thread
     * at a time. Takes no lock that is held for long, and does no I/O. A holder whose parts are of no use without each other
     * lets go of nothing, as this does by itself.
     *
     * @param wantedBytes more than that need not go
     */
    default Given giveBack(long wantedBytes) {
        return Given.NONE;
    }

    /** As {@link #giveBack}, for a holder that nobody uses: when its parts were used last does not count. */
    Given giveBackAny(long wantedBytes);

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
