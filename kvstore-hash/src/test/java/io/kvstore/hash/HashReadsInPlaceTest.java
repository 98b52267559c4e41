package io.kvstore.hash;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.ReadsInPlaceContract;
import java.util.Properties;

/** Reads without a copy in hash tables. */
final class HashReadsInPlaceTest extends ReadsInPlaceContract {

    @Override
    protected TableEngineProvider provider() {
        return new HashEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }
}
