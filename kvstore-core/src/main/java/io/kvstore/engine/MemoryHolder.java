package io.kvstore.engine;

/**
 * Who has memory of the budget that could be given back, at the price of some work. Asked by whoever needs memory, so all
 * methods may be called by any thread; they touch memory only, and never wait.
 */
public interface MemoryHolder {

    /** What it would give back if it were asked now. */
    long reclaimableBytes();

    /** What is on its way back, whether it was asked for or not. */
    long comingBytes();

    /** What {@link MemoryBudget#everTakenBytes} was when it last took something: how long ago that is, in bytes others took. */
    long lastTaken();

    /** Begins to give back about so many bytes, or all it has; in the background. */
    void giveBack(long bytes);
}
