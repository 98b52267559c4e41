package io.kvstore.client.embedded;

import io.kvstore.testkit.HouseRules;

/** The walls inside kvstore-client-embedded. */
final class ArchitectureTest extends HouseRules {
    ArchitectureTest() {
        super("io.kvstore.client.embedded");
    }
}
