package io.kvstore.hash;

import io.kvstore.testkit.StorageRules;
import java.util.List;
import java.util.Set;

/** The walls inside kvstore-hash. It has no engine yet, so what is public in its room is used by nobody. */
final class ArchitectureTest extends StorageRules {
    ArchitectureTest() {
        super("io.kvstore.hash");
    }

    @Override
    protected List<Set<String>> layers() {
        return List.of(Set.of("io.kvstore.hash.index", "io.kvstore.hash.file"));
    }

    @Override
    protected boolean isPromised(String packageName) {
        return packageName.equals(root());
    }
}
