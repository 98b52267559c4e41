package io.kvstore.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;

/** {@link StorageRules}, and what holds only for an engine: a module that others use through the SPI alone. */
public abstract class EngineRules extends StorageRules {
    /** @param root the package that all classes of the module are in or below */
    protected EngineRules(String root) {
        super(root);
    }

    @Test
    void only_the_provider_and_the_parameters_are_public_in_the_root() {
        check(classes()
                .that()
                .resideInAPackage(root())
                .and()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .should()
                .haveSimpleNameEndingWith("EngineProvider")
                .orShould()
                .haveSimpleNameEndingWith("ConfParamsEnum")
                .because("an engine is found by its name, never by its classes"));
    }

    @Test
    void an_engine_knows_the_core_through_its_spi() {
        check(noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.kvstore.wal..", "io.kvstore.catalog..", "io.kvstore.durability..", "io.kvstore")
                .because("the log and the catalog work the same for every engine"));
    }

    @Test
    void sub_packages_serve_the_root_only() {
        check(classes().should(new UseSubPackagesFromTheRoot(root())));
    }
}
