package io.kvstore.error;

import org.jspecify.annotations.Nullable;

/**
 * The root of every error that this library reports. It is unchecked and sealed: a caller can handle all of them in one
 * {@code switch} without a default branch. A message names the object, the limit and the remedy.
 */
public abstract sealed class KVStoreException extends RuntimeException
        permits NotFoundException,
                AlreadyExistsException,
                InvalidRequestException,
                ConditionFailedException,
                TableDroppedException,
                CorruptionException,
                StorageException,
                DiskFullException,
                OverloadedException,
                OutcomeUnknownException,
                StoreLockedException,
                StoreFailedException,
                StoreClosedException {

    private static final long serialVersionUID = 1L;

    private final Outcome outcome;

    KVStoreException(Outcome outcome, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.outcome = outcome;
    }

    /** Whether the operation was not tried, was tried and not applied, or may have been applied. */
    public final Outcome outcome() {
        return outcome;
    }
}
