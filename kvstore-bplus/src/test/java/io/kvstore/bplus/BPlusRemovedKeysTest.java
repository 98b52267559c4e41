package io.kvstore.bplus;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.RemovedKeysContract;
import java.util.Map;

final class BPlusRemovedKeysTest extends RemovedKeysContract {

    @Override
    protected TableEngineProvider provider() {
        return new BPlusEngineProvider();
    }

    @Override
    protected Map<String, Object> small() {
        return Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", 1 << 20);
    }
}
