package io.kvstore.hash;

import io.kvstore.testkit.SalvageContract;

final class HashSalvageTest extends SalvageContract {
    @Override
    protected String engine() {
        return "HASH";
    }

    @Override
    protected int mostLost(String file) {
        return 2;
    }

    /** Removals are in the index file alone. */
    @Override
    protected boolean mayBringBack(String file) {
        return file.endsWith(".idx");
    }
}
