package io.kvstore.hash;

import io.kvstore.testkit.RaceContract;
import java.util.Properties;

/** Growth, relocations and checkpoints beside readers. */
final class HashRaceTest extends RaceContract {

    @Override
    protected String engine() {
        return CrowdedEngineProvider.NAME;
    }

    @Override
    protected Properties properties() {
        return new Properties();
    }

    @Override
    protected long spareBytes() {
        return 256 << 10;
    }
}
