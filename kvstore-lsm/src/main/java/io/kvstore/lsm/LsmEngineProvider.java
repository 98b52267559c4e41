package io.kvstore.lsm;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Makes {@code LSM} tables; their parameters are {@link LsmConfParamsEnum}. */
public final class LsmEngineProvider implements TableEngineProvider {

    /** Found by the service loader. */
    public LsmEngineProvider() {}

    @Override
    public String name() {
        return "LSM";
    }

    @Override
    public List<TableParameter> parameters() {
        return Arrays.stream(LsmConfParamsEnum.values())
                .map(LsmConfParamsEnum::parameter)
                .toList();
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return new LsmEngine(context, LsmOptions.of(context.properties()));
    }
}
