package io.kvstore.hash;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.TableEngineContract;
import org.junit.jupiter.api.Nested;

/** The contract of every engine, with the defaults, and with few hashes and small segments. */
final class HashEngineTest {

    @Nested
    final class Defaults extends TableEngineContract {
        @Override
        protected TableEngineProvider provider() {
            return new HashEngineProvider();
        }
    }

    @Nested
    final class Crowded extends TableEngineContract {
        @Override
        protected TableEngineProvider provider() {
            return new CrowdedEngineProvider();
        }

        /** Each key that is looked up meets the records of all others of its hash. */
        @Override
        protected int operations() {
            return 15_000;
        }
    }
}
