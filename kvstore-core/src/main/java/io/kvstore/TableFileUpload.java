package io.kvstore;

import io.kvstore.durability.Replacement;
import io.kvstore.engine.TableFileInfo;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A table file that is given to a table piece by piece, such as from a network. The pieces go to the store's directory; they
 * become the table's contents with {@link #swapIn}, and are deleted by {@link #close} before that. For use by one thread.
 */
public final class TableFileUpload implements AutoCloseable {

    private final Replacement replacement;

    TableFileUpload(Replacement replacement) {
        this.replacement = replacement;
    }

    /**
     * Adds the remaining bytes of a buffer.
     *
     * @throws io.kvstore.error.DiskFullException if the disk is full
     */
    public void write(ByteBuffer bytes) {
        replacement.write(bytes);
    }

    /**
     * Checks all of the file, makes it durable, and gives it to the table.
     *
     * @param expectedId the id of the file that the table has until now, empty for no file; null if it does not matter
     * @return the facts that the file states about itself
     * @throws io.kvstore.error.CorruptionException if the file is damaged, is cut off, or is no file for this table
     * @throws io.kvstore.error.ConditionFailedException if the table has another file than expected
     * @throws io.kvstore.error.InvalidRequestException if a value is longer than the table takes
     */
    public TableFileInfo swapIn(@Nullable String expectedId) {
        return replacement.swapIn(expectedId);
    }

    /** Gives up the file, unless it was swapped in. */
    @Override
    public void close() {
        replacement.close();
    }
}
