package io.kvstore.bplus.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.bplus.BPlusConfParamsEnum;
import io.kvstore.testkit.ClusteringContract;
import java.util.Properties;
import org.junit.jupiter.api.Test;

final class ClusteringTest extends ClusteringContract {

    private static final int BUFFER_BYTES = 256 << 10;

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties properties() {
        Properties properties = new Properties();
        properties.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, BUFFER_BYTES);
        return properties;
    }

    @Override
    protected double deadBytes() {
        return measure("value_dead_bytes");
    }

    @Override
    protected double pinnedBytes() {
        return measure("value_pinned_bytes");
    }

    /** Dead ones up to 47 % of those alive, and those of the last checkpoint up to 25 %, and a few segments. */
    @Override
    protected double allowedBytes(double liveBytes) {
        return 0.7 * liveBytes + 5.0 * BUFFER_BYTES;
    }

    @Test
    void a_run_is_shorter_the_more_is_dead() {
        assertEquals(400, Clustering.roomBytes(1_000, 0), 1e-6);
        assertEquals(400, Clustering.roomBytes(1_000, 250), 1e-6);
        assertEquals(200, Clustering.roomBytes(1_000, 450), 1e-6);
        assertEquals(-50, Clustering.roomBytes(1_000, 700), 1e-6);
    }
}
