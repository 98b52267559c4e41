package io.kvstore.codec.lz4;

import io.kvstore.engine.BlockCodec;
import io.kvstore.testkit.BlockCodecContract;

final class Lz4CodecTest extends BlockCodecContract {

    @Override
    protected BlockCodec codec() {
        return new Lz4Codec();
    }
}
