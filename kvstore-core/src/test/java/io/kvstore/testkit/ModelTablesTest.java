package io.kvstore.testkit;

final class ModelTablesTest extends ManyTablesContract {

    @Override
    protected String engine() {
        return "MODEL";
    }
}
