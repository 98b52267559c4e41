package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import java.util.Properties;

/** An engine that shows copies only. */
final class ModelReadsInPlaceTest extends ReadsInPlaceContract {

    @Override
    protected TableEngineProvider provider() {
        return new ModelEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }

    @Override
    protected boolean lends() {
        return false;
    }
}
