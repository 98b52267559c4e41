package io.kvstore.bplus;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.InMemoryEngineContract;
import io.kvstore.testkit.OrderedEngineContract;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The contract of every engine, under the settings that change what the engine does. */
final class BPlusEngineTest {

    @Nested
    final class Defaults extends OrderedEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new BPlusEngineProvider();
        }
    }

    @Nested
    final class LeastOrder extends OrderedEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new BPlusEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("BTREE_ORDER", 3, "VALUE_THRESHOLD_BYTES", 10);
        }
    }

    @Nested
    final class EightPages extends OrderedEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new BPlusEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("BTREE_ORDER", 7, "BTREE_PAGE_BUFFER_SIZE_BYTES", 32_768, "VALUE_THRESHOLD_BYTES", 0);
        }
    }

    @Nested
    final class InMemory extends InMemoryEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new BPlusEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", 262_144, "VALUE_THRESHOLD_BYTES", 100);
        }
    }
}
