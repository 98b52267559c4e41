package io.kvstore.lsm;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.HoldsContract;
import java.util.Map;

/** {@link HoldsContract} for a table that flushes and compacts all the time. */
final class LsmHoldsTest extends HoldsContract {

    @Override
    protected TableEngineProvider provider() {
        return new LsmEngineProvider();
    }

    @Override
    protected Map<String, ?> properties() {
        return Map.of("MEM_CACHE_SIZE", 65_536, "MAX_SSTABLES", 4, "VALUE_THRESHOLD_BYTES", 400);
    }
}
