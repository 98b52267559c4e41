package io.kvstore.bplus;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.HoldsContract;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** {@link HoldsContract} for a tree with a small buffer, with values beside it and with values in it. */
final class BPlusHoldsTest {

    @Nested
    final class Apart extends HoldsContract {

        @Override
        protected TableEngineProvider provider() {
            return new BPlusEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", 1 << 20, "BTREE_ORDER", 8, "VALUE_THRESHOLD_BYTES", 400);
        }
    }

    @Nested
    final class Inline extends HoldsContract {

        @Override
        protected TableEngineProvider provider() {
            return new BPlusEngineProvider();
        }

        @Override
        protected Map<String, ?> properties() {
            return Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", 1 << 20, "VALUE_THRESHOLD_BYTES", 1 << 20);
        }
    }
}
