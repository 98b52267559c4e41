package io.kvstore.memory;

/** A holder of memory of which a part may be unused, such as pages that are kept in case they are read again. */
public interface UnusedMemory {

    /**
     * Whether nobody used any of the memory since the last call. While memory is nearly taken, one thread calls this now and
     * then for all holders, so it costs next to nothing.
     */
    boolean isUnused();

    /**
     * Lets go of memory that was not used since the last call. While others are refused memory, this is called now and then, by
     * one thread at a time. Takes no lock that is held for long, and does no I/O. The default lets go of nothing, for holders
     * whose parts are of no use without each other.
     *
     * @param wantedBytes more than this need not be given back
     */
    default Given giveBack(long wantedBytes) {
        return Given.NONE;
    }

    /** Lets go of memory as {@link #giveBack} does, for a holder that nobody uses, whenever its parts were used last. */
    Given giveBackAny(long wantedBytes);

    /**
     * Memory that nobody can find any more.
     *
     * @param bytes the number of bytes
     * @param free gives the memory to the machine and to the budget; runs when no call is under way that may have found the
     *     memory before
     */
    record Given(long bytes, Runnable free) {
        public static final Given NONE = new Given(0, () -> {});
    }
}
