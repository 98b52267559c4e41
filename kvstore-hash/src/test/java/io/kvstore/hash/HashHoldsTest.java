package io.kvstore.hash;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.HoldsContract;

/** {@link HoldsContract} for a hash table. */
final class HashHoldsTest extends HoldsContract {

    @Override
    protected TableEngineProvider provider() {
        return new HashEngineProvider();
    }
}
