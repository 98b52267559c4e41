package io.kvstore.hash;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes tables with small segments, so that values move, and hashes that tell keys apart. */
public final class SmallSegmentsProvider implements TableEngineProvider {

    static final String NAME = "SMALL_HASH";

    private static final HashEngine.Setup SETUP =
            new HashEngine.Setup(Long.SIZE, new ValueStore.Sizes(16 << 10, 64 << 10));

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isOrdered() {
        return false;
    }

    @Override
    public List<TableParameter> parameters() {
        return List.of();
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return HashEngine.open(BadDisk.under(context), SETUP);
    }

    @Override
    public @Nullable TableEngine openDamaged(TableContext context, long checkpointLsn, Findings losses)
            throws IOException {
        return HashEngine.openDamaged(BadDisk.under(context), SETUP, checkpointLsn, losses);
    }
}
