package io.kvstore.wal;

import io.kvstore.data.TableMutations;
import java.io.IOException;
import java.util.List;

/** Receives operations of the log in the order of their lsns. */
@FunctionalInterface
public interface LogReplay {
    void apply(long lsn, List<TableMutations> operation) throws IOException;
}
