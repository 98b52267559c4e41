package io.kvstore.sealed;

import io.kvstore.engine.BlockCodec;
import io.kvstore.testkit.DeflateCodec;
import io.kvstore.testkit.TableFileCodecContract;

final class DeflateTableFileTest extends TableFileCodecContract {

    @Override
    protected BlockCodec codec() {
        return new DeflateCodec();
    }
}
