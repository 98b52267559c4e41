package io.kvstore.hash;

import io.kvstore.testkit.EngineRules;
import java.util.List;

/** The walls inside kvstore-hash. */
final class ArchitectureTest extends EngineRules {
    ArchitectureTest() {
        super("io.kvstore.hash", List.of("index", "file", "table", "maintenance"));
    }
}
