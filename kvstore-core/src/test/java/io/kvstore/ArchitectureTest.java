package io.kvstore;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.testkit.StorageRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

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
                Set.of("io.kvstore.bytes"),
                Set.of("io.kvstore.io", "io.kvstore.memory"),
                Set.of("io.kvstore.engine", "io.kvstore.wal", "io.kvstore.catalog"),
                Set.of("io.kvstore.value"),
                Set.of("io.kvstore.durability"),
                Set.of("io.kvstore.backup"),
                Set.of("io.kvstore"));
    }

    /** Packages with rooms, and these, bottom first; the package itself is above its rooms. */
    private static final Map<String, List<String>> ROOMS = Map.of(
            "io.kvstore.value", List.of("segment", "append", "index", "policy"),
            "io.kvstore.wal", List.of("format", "segment"),
            "io.kvstore.durability", List.of("background"),
            "io.kvstore.io", List.of("offheap"));

    /** A type that is public in a room is so for others; one of {@code value} for the engines, one of {@code backup} above. */
    @Override
    protected boolean isPromised(String packageName) {
        return !packageName.equals("io.kvstore.value")
                && !packageName.equals("io.kvstore.backup")
                && ROOMS.keySet().stream().noneMatch(parent -> packageName.startsWith(parent + "."));
    }

    @Test
    void rooms_import_only_downward() {
        ROOMS.forEach((parent, names) -> {
            List<String> rooms = names.stream().map(name -> parent + "." + name).toList();
            assertEquals(Set.copyOf(rooms), packagesBelow(parent));
            for (int i = 0; i < rooms.size(); i++) {
                List<String> above = new ArrayList<>(List.of(parent));
                above.addAll(rooms.subList(i + 1, rooms.size()));
                check(noClasses()
                        .that()
                        .resideInAPackage(rooms.get(i))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(above.toArray(String[]::new)));
            }
        });
    }

    /** Recovery and the commit path are the callers of the log. */
    @Test
    void rooms_of_the_log_are_for_the_store_only() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.kvstore.wal..", "io.kvstore.durability..", "io.kvstore")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.kvstore.wal.format", "io.kvstore.wal.segment"));
    }

    /** In {@code io} only a call of a channel that an interrupt would close, and whose caller waits for it. */
    @Override
    protected Set<String> threadStarters() {
        return Set.of("io.kvstore", "io.kvstore.io", "io.kvstore.durability", "io.kvstore.durability.background");
    }
}
