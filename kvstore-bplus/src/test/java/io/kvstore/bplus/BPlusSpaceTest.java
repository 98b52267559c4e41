package io.kvstore.bplus;

import io.kvstore.testkit.SpaceContract;
import java.util.Properties;

final class BPlusSpaceTest extends SpaceContract {

    private static final long BUFFER_BYTES = 256 << 10;

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

    /** As 128 MiB to the page buffer of a table for which that is the constant: of three quarters of it the debt may be. */
    @Override
    protected long constantBytes() {
        return 4 * 8 * BUFFER_BYTES / 3;
    }

    @Override
    protected long smallDiskBytes() {
        return constantBytes() / 4;
    }
}
