package io.kvstore.testkit;

import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Snapshots;
import io.kvstore.engine.TableContext;
import io.kvstore.io.Storage;

/** The context of a table, with another part in the place of one. */
public final class ReplacedPart {

    private ReplacedPart() {}

    /** With other files. */
    public static TableContext of(TableContext context, Storage storage) {
        return of(context, storage, context.barrier(), context.snapshots());
    }

    /** With another log. */
    public static TableContext of(TableContext context, DurabilityBarrier barrier) {
        return of(context, context.storage(), barrier, context.snapshots());
    }

    /** With other snapshots. */
    public static TableContext of(TableContext context, Snapshots snapshots) {
        return of(context, context.storage(), context.barrier(), snapshots);
    }

    private static TableContext of(
            TableContext context, Storage storage, DurabilityBarrier barrier, Snapshots snapshots) {
        return new TableContext(
                storage,
                context.directory(),
                context.tableId(),
                context.fileTag(),
                context.properties(),
                barrier,
                context.failures(),
                snapshots,
                context.epochs(),
                context.memory(),
                context.background(),
                context.clock(),
                context.stallTimeoutMillis(),
                context.readOnly(),
                context.seed());
    }
}
