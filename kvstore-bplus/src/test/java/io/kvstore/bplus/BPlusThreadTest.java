package io.kvstore.bplus;

import io.kvstore.testkit.StoreScenario;
import io.kvstore.testkit.ThreadContract;
import org.junit.jupiter.api.Nested;

/** Many threads on stores with B+tree tables. */
final class BPlusThreadTest {

    @Nested
    final class LeastOrder extends ThreadContract {

        @Override
        protected StoreScenario.Engine engine() {
            return BPlusScenarios.LEAST_ORDER;
        }
    }

    /** Pages are evicted and read again all the time. */
    @Nested
    final class EightPages extends ThreadContract {

        @Override
        protected StoreScenario.Engine engine() {
            return BPlusScenarios.EIGHT_PAGES;
        }
    }
}
