package io.kvstore.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.kvstore.testkit.HouseRules;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

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

    @Test
    void the_client_of_the_jdk_is_not_used() {
        check(noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.net.http..")
                .because("its pool may lose the answer to a call that takes a connection while a thread looks after the"
                        + " idle ones (JDK-8338569), and a write that was answered fails with an unknown outcome"));
    }

    @Test
    void the_library_for_http_stays_in_its_room() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".http")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.hc..")
                .because("it can be replaced by a change in one package"));
    }
}
