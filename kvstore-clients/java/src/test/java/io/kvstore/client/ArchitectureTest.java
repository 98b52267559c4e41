package io.kvstore.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.kvstore.testkit.HouseRules;
import org.junit.jupiter.api.Test;

/** The walls inside kvstore-client. */
final class ArchitectureTest extends HouseRules {
    ArchitectureTest() {
        super("io.kvstore.client");
    }

    @Test
    void public_types_know_nothing_of_thrift() {
        check(noClasses()
                .that()
                .arePublic()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.kvstore.thrift..", "org.apache.thrift..")
                .because("users see the client's own types"));
    }
}
