package io.kvstore.hash;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.MergesContract;
import java.util.Properties;

/** Changes of one value in hash tables. */
final class HashMergesTest extends MergesContract {

    @Override
    protected TableEngineProvider provider() {
        return new HashEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }
}
