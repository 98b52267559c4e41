package io.kvstore.cli.transfer;

import java.io.IOException;

/** The entries of a table at one moment, with their whole values. */
sealed interface EntrySource permits EntryWalk, StreamedEntries {

    /** Takes an entry. Returns whether it wants another. */
    @FunctionalInterface
    interface Taker {
        boolean take(byte[] key, byte[] value) throws IOException;
    }

    /**
     * Passes entries on until the taker wants no more. A source may be asked twice.
     *
     * @throws io.kvstore.cli.console.CommandFailure if the name was that of another table meanwhile
     */
    void each(Taker taker) throws IOException;
}
