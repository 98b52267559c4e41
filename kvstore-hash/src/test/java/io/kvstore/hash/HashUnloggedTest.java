package io.kvstore.hash;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.UnloggedContract;
import java.util.Properties;

/** Hash tables without a log. */
final class HashUnloggedTest extends UnloggedContract {

    @Override
    protected TableEngineProvider provider() {
        return new HashEngineProvider();
    }

    @Override
    protected Properties small() {
        return new Properties();
    }
}
