package io.kvstore.durability;

import io.kvstore.catalog.CatalogUncertainException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.StorageException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.NotOpenedException;
import java.io.IOException;

/** The one place where an {@link IOException} becomes an error of the API. */
public final class StorageErrors {

    private StorageErrors() {}

    /** The error for a failed operation, which changed nothing unless the result is an {@link OutcomeUnknownException}. */
    public static KVStoreException of(String operation, IOException cause) {
        if (cause instanceof CatalogUncertainException) {
            return new OutcomeUnknownException(
                    operation + " may or may not have happened; open the store again to see which: "
                            + cause.getMessage(),
                    cause);
        }
        if (cause instanceof NoSpaceException) {
            return new DiskFullException(
                    operation + " found the disk full; free some space and try again: " + cause.getMessage(), cause);
        }
        return new StorageException(operation + " failed: " + cause, cause);
    }

    /** Throws an error whose cause {@linkplain NotOpenedException#isOfProcess comes from the process}, and is no damage. */
    public static void requireOfDisk(KVStoreException error) {
        if (error.getCause() instanceof IOException cause && NotOpenedException.isOfProcess(cause)) {
            throw error;
        }
    }
}
