package io.kvstore.hash;

import io.kvstore.testkit.SalvageContract;

final class HashSalvageTest extends SalvageContract {
    @Override
    protected String engine() {
        return "HASH";
    }

    /** Without its index a table cannot be read: what a record's file says of removed keys is not enough. */
    @Override
    protected int mostLost(String file) {
        return file.endsWith(".idx") ? Integer.MAX_VALUE : 2;
    }
}
