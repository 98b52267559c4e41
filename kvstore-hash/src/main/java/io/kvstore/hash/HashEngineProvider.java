package io.kvstore.hash;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes {@code HASH} tables: all keys in memory in about 19 bytes each, values on the disk, no order of keys. */
public final class HashEngineProvider implements TableEngineProvider {

    @Override
    public String name() {
        return "HASH";
    }

    @Override
    public List<TableParameter> parameters() {
        return List.of();
    }

    @Override
    public boolean isOrdered() {
        return false;
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return HashEngine.open(context, HashEngine.Setup.USUAL);
    }

    @Override
    public @Nullable TableEngine openDamaged(TableContext context, long checkpointLsn, Findings losses)
            throws IOException {
        return HashEngine.openDamaged(context, HashEngine.Setup.USUAL, checkpointLsn, losses);
    }
}
