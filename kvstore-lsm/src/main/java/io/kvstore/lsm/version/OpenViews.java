package io.kvstore.lsm.version;

import io.kvstore.engine.Snapshots;
import java.util.Arrays;

/**
 * The open views for which a table may have to keep entries. A view at lsn 0 sees no entry of any table: it was opened before
 * the first operation, or of a table that has no operations, such as a sealed one. So it does not count here. Otherwise no
 * tombstone of any table would go while it is open.
 */
public final class OpenViews {

    private OpenViews() {}

    /** The lsns of these views, ascending. */
    public static long[] lsns(Snapshots snapshots) {
        long[] open = snapshots.openLsns();
        return open.length > 0 && open[0] == 0 ? Arrays.copyOfRange(open, 1, open.length) : open;
    }
}
