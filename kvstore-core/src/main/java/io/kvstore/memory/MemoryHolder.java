package io.kvstore.memory;

/**
 * A holder of budget memory that can be given back, at the price of some work. A thread that needs memory asks the holder, so
 * all methods may be called by any thread. They touch memory only, and never wait.
 */
public interface MemoryHolder {

    /** The bytes that the holder would give back if it were asked now. */
    long reclaimableBytes();

    /** The bytes that are on their way back, whether they were asked for or not. */
    long comingBytes();

    /**
     * The value of {@link MemoryBudget#everTakenBytes} when the holder last took memory. It says how long ago that was, in
     * bytes that others have taken since.
     */
    long lastTaken();

    /** Begins to give back about the given number of bytes, or all that the holder has, in the background. */
    void giveBack(long bytes);
}
