package io.kvstore.bench;

import io.kvstore.testkit.HouseRules;

/** The walls inside bench. */
final class ArchitectureTest extends HouseRules {
    ArchitectureTest() {
        super("io.kvstore.bench");
    }
}
