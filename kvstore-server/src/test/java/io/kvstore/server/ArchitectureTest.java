package io.kvstore.server;

import io.kvstore.testkit.HouseRules;

/** The walls inside kvstore-server. */
final class ArchitectureTest extends HouseRules {
    ArchitectureTest() {
        super("io.kvstore.server");
    }
}
