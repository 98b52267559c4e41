package io.kvstore.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.bench.measure.ChildJvm;
import io.kvstore.testkit.HouseRules;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The walls inside bench. */
final class ArchitectureTest extends HouseRules {
    ArchitectureTest() {
        super("io.kvstore.bench");
    }

    @Override
    protected List<Set<String>> layers() {
        return List.of(
                Set.of("io.kvstore.bench.measure", "io.kvstore.bench.edge"),
                Set.of("io.kvstore.bench.store"),
                Set.of("io.kvstore.bench.offroad"),
                Set.of(
                        "io.kvstore.bench.duel",
                        "io.kvstore.bench.net",
                        "io.kvstore.bench.behaviour",
                        "io.kvstore.bench.files",
                        "io.kvstore.bench.maps"),
                Set.of("io.kvstore.bench.counter"),
                Set.of("io.kvstore.bench"));
    }

    @Override
    protected boolean isPromised(String packageName) {
        return packageName.equals("io.kvstore.bench");
    }

    @Test
    void a_child_runs_this_program() {
        assertEquals(BenchMain.class.getName(), ChildJvm.MAIN_CLASS);
    }
}
