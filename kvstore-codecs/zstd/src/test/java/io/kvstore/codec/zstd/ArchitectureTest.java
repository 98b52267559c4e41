package io.kvstore.codec.zstd;

import io.kvstore.testkit.HouseRules;

/** The walls inside kvstore-codec-zstd. */
final class ArchitectureTest extends HouseRules {
    ArchitectureTest() {
        super("io.kvstore.codec.zstd");
    }
}
