package io.kvstore.bplus;

import io.kvstore.testkit.EngineRules;

/** The walls inside kvstore-bplus. */
final class ArchitectureTest extends EngineRules {
    ArchitectureTest() {
        super("io.kvstore.bplus");
    }
}
