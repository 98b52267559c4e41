package io.kvstore.lsm;

import io.kvstore.testkit.SalvageContract;

final class LsmSalvageTest extends SalvageContract {
    @Override
    protected String engine() {
        return "LSM";
    }
}
