package io.kvstore.bplus;

import io.kvstore.testkit.EngineRules;
import java.util.List;

/** The walls inside kvstore-bplus. */
final class ArchitectureTest extends EngineRules {
    ArchitectureTest() {
        super(
                "io.kvstore.bplus",
                List.of("lock", "page", "file", "buffer", "change", "tree", "pending", "maintenance"));
    }
}
