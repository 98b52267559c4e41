package io.kvstore.io;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A file mapped for writing. Bytes that are stored in {@link #memory()} survive the process at once, and a power loss after
 * {@link #force}. An I/O failure can surface as an unchecked error at any access. The owner treats every {@link Throwable} out
 * of an access or a force as final.
 */
public interface WritableMapping extends AutoCloseable {

    /** The mapped bytes. They must not be touched after {@link #close()}. */
    MemorySegment memory();

    /** Makes the bytes from {@code offset} to {@code offset + bytes} durable. A failure is final: never try again. */
    void force(long offset, long bytes) throws IOException;

    /**
     * Makes all bytes durable and unmaps. No other thread may use the mapping any more. This may be cheaper than {@link #force}
     * and {@link #close()} one after the other. A failure is as final as a failure of {@link #force}, and {@link #close()} is
     * still to be called after it.
     */
    default void forceAndClose() throws IOException {
        force(0, memory().byteSize());
        close();
    }

    /**
     * Maps the same bytes of the file once more, for threads that go on storing while this mapping is made durable and
     * unmapped. Null where that saves nothing over {@link #force}. Bytes that are stored in one mapping are seen in the other.
     */
    default @Nullable WritableMapping renew() throws IOException {
        return null;
    }

    /** Unmaps, unless that was done before. Fails with an unchecked exception if a thread is inside {@link #memory()}. */
    @Override
    void close() throws IOException;
}
