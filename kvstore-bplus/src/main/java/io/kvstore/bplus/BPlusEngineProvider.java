package io.kvstore.bplus;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Makes {@code BPLUS} tables; their parameters are {@link BPlusConfParamsEnum}. */
public final class BPlusEngineProvider implements TableEngineProvider {

    /** Found by the service loader. */
    public BPlusEngineProvider() {}

    @Override
    public String name() {
        return "BPLUS";
    }

    @Override
    public List<TableParameter> parameters() {
        return Arrays.stream(BPlusConfParamsEnum.values())
                .map(BPlusConfParamsEnum::parameter)
                .toList();
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return BPlusEngine.open(context);
    }
}
