package io.kvstore.codec.zstd;

import io.kvstore.engine.BlockCodec;
import io.kvstore.testkit.TableFileCodecContract;

final class ZstdTableFileTest extends TableFileCodecContract {

    @Override
    protected BlockCodec codec() {
        return new ZstdCodec();
    }
}
