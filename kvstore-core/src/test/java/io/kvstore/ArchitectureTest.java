package io.kvstore;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.testkit.StorageRules;
import java.util.ArrayList;
import java.util.List;
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
                Set.of("io.kvstore.io"),
                Set.of("io.kvstore.engine", "io.kvstore.wal", "io.kvstore.catalog"),
                Set.of("io.kvstore.value"),
                Set.of("io.kvstore.durability"),
                Set.of("io.kvstore"));
    }

    /** Rooms of {@code value}, bottom first; its root is above them. */
    private static final List<String> VALUE_ROOMS = List.of(
            "io.kvstore.value.segment", "io.kvstore.value.append", "io.kvstore.value.index", "io.kvstore.value.policy");

    /** What is public in a room of {@code value} is so for the other rooms and for the engines. */
    @Override
    protected boolean isPromised(String packageName) {
        return !packageName.startsWith("io.kvstore.value");
    }

    @Test
    void rooms_of_value_import_only_downward() {
        assertEquals(Set.copyOf(VALUE_ROOMS), packagesBelow("io.kvstore.value"));
        for (int i = 0; i < VALUE_ROOMS.size(); i++) {
            List<String> above = new ArrayList<>(List.of("io.kvstore.value"));
            above.addAll(VALUE_ROOMS.subList(i + 1, VALUE_ROOMS.size()));
            check(noClasses()
                    .that()
                    .resideInAPackage(VALUE_ROOMS.get(i))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above.toArray(String[]::new)));
        }
    }

    @Override
    protected Set<String> threadStarters() {
        return Set.of("io.kvstore", "io.kvstore.durability");
    }
}
