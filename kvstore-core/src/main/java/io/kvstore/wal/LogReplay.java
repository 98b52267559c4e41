package io.kvstore.wal;

import io.kvstore.data.TableMutations;
import java.io.IOException;
import java.util.List;

/** Receives operations of the log in the order of their lsns. */
@FunctionalInterface
public interface LogReplay {
    void apply(long lsn, List<TableMutations> operation) throws IOException;

    /** The changes of a table up to this lsn are not needed, and may be left out. */
    default long heldLsn(int tableId) {
        return -1;
    }
}
