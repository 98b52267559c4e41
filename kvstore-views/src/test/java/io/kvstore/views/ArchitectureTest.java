package io.kvstore.views;

import io.kvstore.testkit.StorageRules;

/** The walls inside kvstore-views. */
final class ArchitectureTest extends StorageRules {
    ArchitectureTest() {
        super("io.kvstore.views");
    }
}
