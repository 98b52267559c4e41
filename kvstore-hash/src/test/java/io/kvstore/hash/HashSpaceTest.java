package io.kvstore.hash;

import io.kvstore.testkit.SpaceContract;
import java.util.Properties;

/** The space of hash tables on the disk. */
final class HashSpaceTest extends SpaceContract {

    @Override
    protected String engine() {
        return CrowdedEngineProvider.NAME;
    }

    @Override
    protected Properties properties() {
        return new Properties();
    }

    @Override
    protected long constantBytes() {
        return 1 << 20;
    }

    @Override
    protected long smallDiskBytes() {
        return constantBytes() / 4;
    }
}
