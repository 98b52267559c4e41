package io.kvstore.bplus;

import io.kvstore.testkit.RaceContract;
import java.util.Properties;

/** Evictions, relocations and checkpoints beside readers. */
final class BPlusRaceTest extends RaceContract {

    private static final int BUFFER_BYTES = 256 << 10;

    @Override
    protected String engine() {
        return "BPLUS";
    }

    @Override
    protected Properties properties() {
        Properties small = new Properties();
        small.put(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES, BUFFER_BYTES);
        small.put(BPlusConfParamsEnum.BTREE_ORDER, 16);
        small.put("VALUE_THRESHOLD_BYTES", 100);
        return small;
    }

    @Override
    protected long spareBytes() {
        return BUFFER_BYTES;
    }
}
