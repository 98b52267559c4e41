package io.kvstore;

import io.kvstore.testkit.StorageRules;
import java.util.List;
import java.util.Set;

/** The walls inside kvstore-core. */
final class ArchitectureTest extends StorageRules {
    ArchitectureTest() {
        super("io.kvstore");
    }

    @Override
    protected List<Set<String>> layers() {
        return List.of(
                Set.of("io.kvstore.error"),
                Set.of("io.kvstore.data"),
                Set.of("io.kvstore.io"),
                Set.of("io.kvstore.engine", "io.kvstore.wal", "io.kvstore.catalog"),
                Set.of("io.kvstore.value"),
                Set.of("io.kvstore.durability"),
                Set.of("io.kvstore"));
    }

    @Override
    protected Set<String> threadStarters() {
        return Set.of("io.kvstore", "io.kvstore.durability");
    }
}
