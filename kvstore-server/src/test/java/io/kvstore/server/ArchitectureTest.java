package io.kvstore.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.testkit.HouseRules;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The walls inside kvstore-server. */
final class ArchitectureTest extends HouseRules {

    private static final String HTTP = "io.kvstore.server.http";

    /** Rooms of the HTTP edge, bottom first; its root is above them. */
    private static final List<String> HTTP_ROOMS = List.of(HTTP + ".message", HTTP + ".endpoint", HTTP + ".chain");

    ArchitectureTest() {
        super("io.kvstore.server");
    }

    @Override
    protected boolean isPromised(String packageName) {
        return !HTTP_ROOMS.contains(packageName);
    }

    @Test
    void rooms_of_http_import_only_downward() {
        assertEquals(Set.copyOf(HTTP_ROOMS), packagesBelow(HTTP));
        for (int i = 0; i < HTTP_ROOMS.size(); i++) {
            String[] above = HTTP_ROOMS.subList(i + 1, HTTP_ROOMS.size()).toArray(String[]::new);
            check(noClasses()
                    .that()
                    .resideInAPackage(HTTP_ROOMS.get(i))
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(HTTP)
                    .orShould()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above));
        }
    }

    @Test
    void rooms_of_http_are_for_http_only() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(HTTP + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(HTTP_ROOMS.toArray(String[]::new)));
    }
}
