package io.kvstore.lsm;

import io.kvstore.testkit.EngineRules;

/** The walls inside kvstore-lsm. */
final class ArchitectureTest extends EngineRules {
    ArchitectureTest() {
        super("io.kvstore.lsm");
    }
}
