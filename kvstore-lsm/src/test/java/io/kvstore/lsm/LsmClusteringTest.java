package io.kvstore.lsm;

import io.kvstore.testkit.ClusteringContract;
import java.util.Properties;

final class LsmClusteringTest extends ClusteringContract {

    private static final int MEM_TABLE_BYTES = 64 << 10;

    @Override
    protected String engine() {
        return "LSM";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put(LsmConfParamsEnum.MEM_CACHE_SIZE, MEM_TABLE_BYTES);
        return properties;
    }

    @Override
    protected double deadBytes() {
        return measure("value_bytes") - measure("value_live_bytes");
    }

    @Override
    protected double pinnedBytes() {
        return 0; // what is in files of older versions only is not known
    }

    /** Dead ones up to 35 % of those alive, those that a run of moves has twice up to 25 %, and a few segments. */
    @Override
    protected double allowedBytes(double liveBytes) {
        return 0.6 * liveBytes + 10.0 * MEM_TABLE_BYTES;
    }
}
