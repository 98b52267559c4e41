package io.kvstore.codec.zstd;

import io.kvstore.engine.BlockCodec;
import io.kvstore.testkit.BlockCodecContract;

final class ZstdCodecTest extends BlockCodecContract {

    @Override
    protected BlockCodec codec() {
        return new ZstdCodec();
    }
}
