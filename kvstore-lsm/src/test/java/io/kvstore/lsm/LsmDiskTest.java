package io.kvstore.lsm;

import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.testkit.SpaceContract;
import java.util.Properties;

/** Tables as a store opens them; {@link LsmSpaceTest} has such that may take less. */
final class LsmDiskTest extends SpaceContract {

    private static final int MEM_TABLE_BYTES = 256 << 10;

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
    protected long constantBytes() {
        return LsmOptions.usualSlackBytes(MEM_TABLE_BYTES);
    }

    @Override
    protected long smallDiskBytes() {
        return 6 << 20;
    }
}
