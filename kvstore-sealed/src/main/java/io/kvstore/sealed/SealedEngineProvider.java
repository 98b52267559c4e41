package io.kvstore.sealed;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.engine.TableFileFormat;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes tables whose entries are in one file that never changes. */
public final class SealedEngineProvider implements TableEngineProvider {

    @Override
    public String name() {
        return "SEALED";
    }

    @Override
    public List<TableParameter> parameters() {
        return List.of();
    }

    @Override
    public TableFileFormat files() {
        return new SealedFiles();
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return SealedEngine.open(context);
    }

    @Override
    public @Nullable TableEngine openDamaged(TableContext context, long checkpointLsn, Findings losses)
            throws IOException {
        return SealedEngine.openDamaged(context);
    }
}
