package io.kvstore.cli;

import io.kvstore.testkit.HouseRules;
import java.util.List;
import java.util.Set;

/** The walls inside kvstore-cli. */
final class ArchitectureTest extends HouseRules {

    private static final String ROOT = "io.kvstore.cli";

    ArchitectureTest() {
        super(ROOT);
    }

    /** Groups of commands do not know each other. */
    @Override
    protected List<Set<String>> layers() {
        return List.of(
                Set.of(ROOT + ".console", ROOT + ".rows"),
                Set.of(ROOT + ".arguments", ROOT + ".dump", ROOT + ".http"),
                Set.of(ROOT + ".session"),
                Set.of(ROOT + ".tablefile", ROOT + ".data", ROOT + ".admin", ROOT + ".transfer", ROOT + ".rescue"),
                Set.of(ROOT + ".shell"),
                Set.of(ROOT));
    }

    @Override
    protected boolean isPromised(String packageName) {
        return packageName.equals(ROOT);
    }
}
