package io.kvstore.engine;

import io.kvstore.error.OverloadedException;

/**
 * Refuses a write for which there is no memory. An engine that has caught an {@link OutOfMemoryError} must not make a lambda
 * for this, and must join no strings by the operator: what the JVM links for the first time while the heap is full stays
 * broken in that process.
 *
 * @param message has the table's directory, the reason and the remedy
 */
public record MemoryRefusal(String message, OutOfMemoryError cause) implements TableEngine.Load {

    @Override
    public void run() {
        throw new OverloadedException(message, cause);
    }
}
