package io.kvstore.cli.transfer;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.client.KVClient;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.NotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * The table that a name had before a walk over its entries. A snapshot finds the table of a name when it is first asked for it,
 * so after a rename it would read the entries of another table.
 *
 * @param before the table as it was described
 * @param job the walk, for people
 */
record SameTable(KVClient client, TableDescription before, String job) {

    /** Requires that the name is that of the same table still. */
    void require() {
        TableDescription now = now();
        if (now == null
                || now.id() != before.id()
                || !now.table().equals(before.table())
                || !now.database().equals(before.database())) {
            throw new CommandFailure(
                    ExitStatus.UNAVAILABLE,
                    before.database() + "/" + before.table() + " was renamed, dropped or truncated during the " + job
                            + "; try again");
        }
    }

    private @Nullable TableDescription now() {
        try {
            return client.table(before.database(), before.table()).describe();
        } catch (NotFoundException _) {
            return null;
        }
    }
}
