package io.kvstore.sealed;

import io.kvstore.testkit.EngineRules;
import java.util.List;

/** The walls inside kvstore-sealed. */
final class ArchitectureTest extends EngineRules {
    ArchitectureTest() {
        super("io.kvstore.sealed", List.of("format", "perfect", "read", "build"));
    }
}
