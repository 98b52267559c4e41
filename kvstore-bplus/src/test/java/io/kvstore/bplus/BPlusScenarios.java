package io.kvstore.bplus;

import io.kvstore.testkit.StoreScenario;
import java.util.List;
import java.util.Map;

/** Settings of B+tree tables under which every kind of work happens with little data. */
final class BPlusScenarios {

    static final StoreScenario.Engine MODEL = new StoreScenario.Engine("MODEL", Map.of());

    /** Values of 40 bytes or more apart. */
    static final StoreScenario.Engine LEAST_ORDER = engine(3, 1 << 20, 40);

    /** All values apart, in segments as small as the buffer. */
    static final StoreScenario.Engine EIGHT_PAGES = engine(6, 32 << 10, 0);

    /** All values inline that can be. */
    static final StoreScenario.Engine USUAL = engine(400, 256 << 10, Integer.MAX_VALUE);

    static final List<StoreScenario.Engine> ALL = List.of(LEAST_ORDER, EIGHT_PAGES, USUAL);

    private BPlusScenarios() {}

    private static StoreScenario.Engine engine(int order, int bufferBytes, int thresholdBytes) {
        return new StoreScenario.Engine(
                "BPLUS",
                Map.of(
                        "BTREE_ORDER",
                        order,
                        "BTREE_PAGE_BUFFER_SIZE_BYTES",
                        bufferBytes,
                        "VALUE_THRESHOLD_BYTES",
                        thresholdBytes));
    }
}
