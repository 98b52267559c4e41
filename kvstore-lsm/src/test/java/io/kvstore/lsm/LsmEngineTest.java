package io.kvstore.lsm;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.InMemoryEngineContract;
import io.kvstore.testkit.OrderedEngineContract;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The contract of every engine, under the settings that change what the engine does. */
final class LsmEngineTest {

    @Nested
    final class Defaults extends OrderedEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new LsmEngineProvider();
        }
    }

    @Nested
    final class TinyMemTable extends OrderedEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new LsmEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("MEM_CACHE_SIZE", 65_536, "MAX_SSTABLES", 4, "VALUE_THRESHOLD_BYTES", 0);
        }
    }

    @Nested
    final class OneEntryPerBlock extends OrderedEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new LsmEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("MEM_CACHE_SIZE", 100_000, "SPARSE_INDEX_SIZE", 1, "BLOOM_FILTER_FALSE_POSITIVE_RATE", 0.5);
        }
    }

    @Nested
    final class InMemory extends InMemoryEngineContract {

        @Override
        protected TableEngineProvider provider() {
            return new LsmEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("MEM_CACHE_SIZE", 65_536, "MAX_SSTABLES", 4, "VALUE_THRESHOLD_BYTES", 100);
        }
    }
}
