package io.kvstore.testkit;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.TableParameter;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.util.List;

/** Makes {@link ModelEngine} tables. */
public final class ModelEngineProvider implements TableEngineProvider {

    /** The most bytes of keys and values that a table takes; beyond it an admission waits. */
    public static final String MEMORY_LIMIT = "MEMORY_LIMIT";

    @Override
    public String name() {
        return "MODEL";
    }

    @Override
    public List<TableParameter> parameters() {
        return List.of(TableParameter.wholeNumber(MEMORY_LIMIT, 64 << 20, 1024, 1 << 30));
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return new ModelEngine(context, KeyOrder.COMPARATOR);
    }
}
