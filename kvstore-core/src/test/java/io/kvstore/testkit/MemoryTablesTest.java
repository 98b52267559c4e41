package io.kvstore.testkit;

final class MemoryTablesTest extends ManyTablesContract {

    @Override
    protected String engine() {
        return "MEMORY";
    }
}
