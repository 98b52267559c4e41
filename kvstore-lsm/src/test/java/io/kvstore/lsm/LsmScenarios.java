package io.kvstore.lsm;

import io.kvstore.testkit.StoreScenario;
import java.util.List;
import java.util.Map;

/** Settings of LSM tables under which every kind of work happens with little data. */
final class LsmScenarios {

    static final StoreScenario.Engine MODEL = new StoreScenario.Engine("MODEL", Map.of());

    static final StoreScenario.Engine TINY = engine(16, 0.01, 4, 0, "NONE");
    static final StoreScenario.Engine ONE_ENTRY_BLOCKS = engine(1, 0.3, 2, 40, "NONE");
    static final StoreScenario.Engine LARGE_BLOCKS = engine(1_024, 0.001, 24, Integer.MAX_VALUE, "DEFLATE");

    static final List<StoreScenario.Engine> ALL = List.of(TINY, ONE_ENTRY_BLOCKS, LARGE_BLOCKS);

    private LsmScenarios() {}

    private static StoreScenario.Engine engine(
            int blockEntries, double falsePositives, int maxFiles, int valueThreshold, String compression) {
        return new StoreScenario.Engine(
                "LSM",
                Map.of(
                        "MEM_CACHE_SIZE",
                        64 << 10,
                        "SPARSE_INDEX_SIZE",
                        blockEntries,
                        "BLOOM_FILTER_FALSE_POSITIVE_RATE",
                        falsePositives,
                        "MAX_SSTABLES",
                        maxFiles,
                        "VALUE_THRESHOLD_BYTES",
                        valueThreshold,
                        "COMPRESSION",
                        compression));
    }
}
