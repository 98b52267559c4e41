package io.kvstore.hash;

import io.kvstore.testkit.StoreScenario;
import io.kvstore.testkit.ThreadContract;
import org.junit.jupiter.api.Nested;

/** Many threads on stores with hash tables. */
final class HashThreadTest {

    @Nested
    final class Usual extends ThreadContract {

        @Override
        protected StoreScenario.Engine engine() {
            return HashScenarios.USUAL;
        }
    }

    @Nested
    final class Crowded extends ThreadContract {

        @Override
        protected StoreScenario.Engine engine() {
            return HashScenarios.CROWDED;
        }
    }
}
