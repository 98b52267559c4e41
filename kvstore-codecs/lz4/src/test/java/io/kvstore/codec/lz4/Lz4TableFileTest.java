package io.kvstore.codec.lz4;

import io.kvstore.engine.BlockCodec;
import io.kvstore.testkit.TableFileCodecContract;

final class Lz4TableFileTest extends TableFileCodecContract {

    @Override
    protected BlockCodec codec() {
        return new Lz4Codec();
    }
}
