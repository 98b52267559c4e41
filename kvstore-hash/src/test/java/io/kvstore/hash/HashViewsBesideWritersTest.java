package io.kvstore.hash;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.ViewsBesideWritersContract;
import java.util.Properties;

/** Views of hash tables beside writers. */
final class HashViewsBesideWritersTest extends ViewsBesideWritersContract {

    @Override
    protected TableEngineProvider provider() {
        return new HashEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }
}
