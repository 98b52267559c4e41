package io.kvstore.testkit;

import io.kvstore.engine.TableEngineProvider;
import java.util.Properties;

/** An engine that shows copies only. */
final class MemoryReadsInPlaceTest extends ReadsInPlaceContract {

    @Override
    protected TableEngineProvider provider() {
        return new MemoryEngineProvider();
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
