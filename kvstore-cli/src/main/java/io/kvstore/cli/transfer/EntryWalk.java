package io.kvstore.cli.transfer;

import io.kvstore.client.ClientEntry;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.error.NotFoundException;
import io.kvstore.client.error.TableDroppedException;
import java.io.IOException;
import java.util.Objects;

/**
 * A walk over entries with their whole values, however long these are.
 *
 * @param reader of a snapshot
 * @param options the entries that are meant
 * @param table whose entries these must be
 */
record EntryWalk(TableReader reader, ScanOptions options, SameTable table) {

    /** Takes an entry. Returns whether it wants another. */
    @FunctionalInterface
    interface Taker {
        boolean take(byte[] key, byte[] value) throws IOException;
    }

    /**
     * Passes entries on until the taker wants no more.
     *
     * @throws io.kvstore.cli.console.CommandFailure if the name was that of another table meanwhile
     */
    void each(Taker taker) throws IOException {
        try {
            walk(taker);
        } catch (NotFoundException | TableDroppedException e) {
            table.require(); // says more
            throw e;
        }
        table.require();
    }

    private void walk(Taker taker) throws IOException {
        for (ClientEntry entry : reader.scan(options)) {
            // a value that does not fit into a page of a scan is read alone
            byte[] value = entry.isTooLarge() ? reader.get(entry.key()) : entry.value();
            if (!taker.take(entry.key(), Objects.requireNonNull(value))) {
                return;
            }
        }
    }
}
