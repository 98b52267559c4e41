package io.kvstore.lsm;

import io.kvstore.testkit.RaceContract;
import java.util.Properties;

/** Flushes, compactions and moves of values beside readers. */
final class LsmRaceTest extends RaceContract {

    private static final int MEM_TABLE_BYTES = 256 << 10;
    private static final int MEM_TABLE_WITH_VALUES_BYTES = 5 * MEM_TABLE_BYTES;

    @Override
    protected String engine() {
        return "LSM";
    }

    @Override
    protected Properties properties() {
        Properties small = new Properties();
        small.put(LsmConfParamsEnum.MEM_CACHE_SIZE, MEM_TABLE_BYTES);
        small.put(LsmConfParamsEnum.SPARSE_INDEX_SIZE, 16);
        small.put("VALUE_THRESHOLD_BYTES", 100);
        return small;
    }

    @Override
    protected long spareBytes() {
        return MEM_TABLE_WITH_VALUES_BYTES;
    }
}
