package io.kvstore.hash;

import io.kvstore.testkit.StoreScenario;
import java.util.List;
import java.util.Map;

/** Hash tables for tests of whole stores. */
final class HashScenarios {

    static final StoreScenario.Engine MODEL = new StoreScenario.Engine("MODEL", Map.of());
    static final StoreScenario.Engine USUAL = new StoreScenario.Engine("HASH", Map.of());

    /** Few hashes and small segments. */
    static final StoreScenario.Engine CROWDED = new StoreScenario.Engine(CrowdedEngineProvider.NAME, Map.of());

    static final List<StoreScenario.Engine> ALL = List.of(USUAL, CROWDED);

    private HashScenarios() {}
}
