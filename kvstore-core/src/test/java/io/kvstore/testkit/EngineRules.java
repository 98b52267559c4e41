package io.kvstore.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * {@link StorageRules}, and what holds only for an engine: a module that others use through the SPI alone. It has rooms, which
 * are packages below its root, in an order.
 */
public abstract class EngineRules extends StorageRules {
    private final List<String> rooms;

    /**
     * Names the rooms.
     *
     * @param root the package that all classes of the module are in or below
     * @param rooms names of the packages directly below it, bottom first
     */
    protected EngineRules(String root, List<String> rooms) {
        super(root);
        this.rooms = rooms;
    }

    @Override
    protected final List<Set<String>> layers() {
        List<Set<String>> layers = new ArrayList<>();
        rooms.forEach(room -> layers.add(Set.of(root() + "." + room)));
        layers.add(Set.of(root()));
        return layers;
    }

    /** What is public in a room is so for the other rooms. */
    @Override
    protected final boolean isPromised(String packageName) {
        return packageName.equals(root());
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
    void what_is_public_in_a_room_is_used_in_another() {
        check(classes()
                .that()
                .resideInAPackage(root() + ".*..")
                .and()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .should(new BeUsedInAnotherPackage()));
    }
}
