package io.kvstore.io;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A file mapped for writing. What is stored in {@link #memory()} survives the process at once and a power loss after
 * {@link #force}. An I/O failure can surface as an unchecked error at any access; the owner treats every {@link Throwable}
 * out of an access or a force as final.
 */
public interface WritableMapping extends AutoCloseable {

    /** The mapped bytes; must not be touched after {@link #close()}. */
    MemorySegment memory();

    /** Makes the bytes from {@code offset} to {@code offset + bytes} durable. A failure is final: never try again. */
    void force(long offset, long bytes) throws IOException;

    /**
     * Makes all bytes durable and unmaps; nothing else may use the mapping any more. May be cheaper than the two one after
     * the other. A failure is final as that of {@link #force}, and {@link #close()} is still to be called after it.
     */
    default void forceAndClose() throws IOException {
        force(0, memory().byteSize());
        close();
    }

    /**
     * Maps the same bytes of the file once more, for who goes on storing while this mapping is made durable and unmapped; null
     * where that saves nothing over {@link #force}. What is stored in one is seen in the other.
     */
    default @Nullable WritableMapping renew() throws IOException {
        return null;
    }

    /** Unmaps. Does nothing if that was done. Fails with an unchecked exception when a thread is inside {@link #memory()}. */
    @Override
    void close() throws IOException;
}
