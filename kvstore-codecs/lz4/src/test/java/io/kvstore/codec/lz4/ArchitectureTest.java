package io.kvstore.codec.lz4;

import io.kvstore.testkit.HouseRules;

/** The walls inside kvstore-codec-lz4. */
final class ArchitectureTest extends HouseRules {
    ArchitectureTest() {
        super("io.kvstore.codec.lz4");
    }
}
