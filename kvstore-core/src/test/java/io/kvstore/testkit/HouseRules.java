package io.kvstore.testkit;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * The rules of docs/style.md that the compiled classes of a module can answer. Every module has one {@code
 * ArchitectureTest} that extends this class (or {@link StorageRules}), so that a new module cannot forget a rule.
 */
public abstract class HouseRules {
    private static final Path MODULE =
            Path.of(System.getProperty("basedir", ".")).toAbsolutePath();
    private static final String BANNED_NAME = ".*(Utils?|Helpers?|Manager|Common|Misc|Impl)|(Abstract|Base)[A-Z].*";

    private static final List<String> ENGINES =
            List.of("io.kvstore.lsm", "io.kvstore.bplus", "io.kvstore.hash", "io.kvstore.sealed");

    /** Classes that park threads by themselves, and what each does when the thread is interrupted. */
    private static final Set<String> PARK_THREADS = Set.of(
            // clears the flag meanwhile
            "io.kvstore.data.Pause",
            // clears the flag, and unparks the threads that it parks
            "io.kvstore.wal.GroupCommit",
            // ends the wait; its own threads forget the interrupt
            "io.kvstore.server.thrift.ThriftServer",
            // ends the wait
            "io.kvstore.client.Deadline");

    private static final JavaClasses IMPORTED = new ClassFileImporter().importPath(MODULE.resolve("target/classes"));

    private final String root;

    /** @param root the package that all classes of the module are in or below */
    protected HouseRules(String root) {
        this.root = root;
    }

    /** The packages of the module, bottom first; packages on one line do not know each other. Empty: no order. */
    protected List<Set<String>> layers() {
        return List.of();
    }

    /**
     * Whether the public types of a package are promised to all other modules. Otherwise they are public for their own module
     * only. The types of {@code value} are public for the engines too. Other rules see to both.
     */
    protected boolean isPromised(String packageName) {
        return true;
    }

    /** Classes that others may extend although nothing in their declaration says so, by full name. */
    protected Set<String> openTypes() {
        return Set.of();
    }

    /** Judges the classes of this module. */
    protected final void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(IMPORTED);
    }

    /** The package that all classes of the module are in or below. */
    protected final String root() {
        return root;
    }

    @Test
    void all_classes_are_below_the_root_package() {
        check(classes().should().resideInAPackage(root + "..").because("two modules must not share a package"));
    }

    @Test
    void packages_have_no_cycles() {
        check(SlicesRuleDefinition.slices()
                .assignedFrom(new PackageOf(root))
                .should()
                .beFreeOfCycles());
    }

    @Test
    void nothing_imports_the_root_package_from_inside() {
        check(noClasses()
                .that(resideInAPackage(root + "..").and(not(resideInAPackage(root))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root)
                .because("the root package is the roof: it knows the others, they do not know it"));
    }

    @Test
    void imports_go_downward(TestReporter reporter) {
        if (!layers().isEmpty()) {
            reporter.publishEntry("packages of " + root + ", bottom first", layers().toString());
            check(classes().should(new ImportOnlyDownward(root, layers())));
        }
    }

    @Test
    void rooms_of_an_engine_are_for_its_module_only() {
        for (String engine : ENGINES) {
            check(noClasses()
                    .that(not(resideInAPackage(engine + "..")))
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(engine + ".*..")
                    .because("what is public there is so for the other rooms, and may change every day"));
        }
    }

    @Test
    void values_kept_apart_are_for_the_engines() {
        check(noClasses()
                .that(resideOutsideOfPackages(
                        "io.kvstore.value..",
                        "io.kvstore.lsm..",
                        "io.kvstore.bplus..",
                        "io.kvstore.hash..",
                        "io.kvstore.sealed.."))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.kvstore.value..")
                .because("an engine decides where its values lie, and nobody else sees it"));
    }

    /** The packages below another one, so that a rule with a list of them can say that it lists all. */
    protected final Set<String> packagesBelow(String parent) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : IMPORTED) {
            if (type.getPackageName().startsWith(parent + ".")) {
                found.add(type.getPackageName());
            }
        }
        return found;
    }

    @Test
    void every_package_is_null_marked() {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass type : IMPORTED) {
            unmarked.add(type.getPackageName());
        }
        for (JavaClass type : IMPORTED) {
            if (type.getSimpleName().equals("package-info") && type.isAnnotatedWith(NullMarked.class)) {
                unmarked.remove(type.getPackageName());
            }
        }
        assertEquals(Set.of(), unmarked, "Packages without a package-info.java that says @NullMarked");
    }

    @Test
    void names_say_what_a_class_is() {
        check(classes()
                .should()
                .haveNameNotMatching("(.*[.$])?(" + BANNED_NAME + ")")
                .because("a name like Util, Helper, Manager or Impl says nothing about its subject"));
    }

    @Test
    void classes_are_final_unless_they_say_otherwise() {
        check(classes().should(new BeFinalOrSaySo(openTypes())));
    }

    @Test
    void static_fields_are_final() {
        check(fields().that()
                .areStatic()
                .should()
                .beFinal()
                .because("two stores in one process must not meet in a static field"));
    }

    @Test
    void threads_wait_even_if_they_are_interrupted() {
        check(noClasses()
                .that(DescribedPredicate.describe(
                        "do not care for interrupts by themselves", type -> !PARK_THREADS.contains(type.getFullName())))
                .should()
                .callMethodWhere(target(nameStartingWith("park")).and(targetOwner(equivalentTo(LockSupport.class))))
                .because("an interrupted thread is not parked, so a loop around it runs at full speed: use Pause"));
    }

    @Test
    void the_environment_is_no_input() {
        check(noClasses()
                .should(new AskTheEnvironment())
                .because("a store made under one locale, charset or time zone works the same under all others:"
                        + " give Locale.ROOT, UTF_8 or a zone"));
    }

    /**
     * The public types of a module are its API, so they are listed, and the list is reviewed. {@code -Dkv.rewrite=true}
     * writes the list anew.
     */
    @Test
    void public_types_are_listed() throws IOException {
        Set<String> actual = new TreeSet<>();
        for (JavaClass type : IMPORTED) {
            if (type.isTopLevelClass()
                    && type.getModifiers().contains(JavaModifier.PUBLIC)
                    && isPromised(type.getPackageName())) {
                actual.add(type.getName());
            }
        }
        Path file = MODULE.resolve("public-types.txt");
        if (Boolean.getBoolean("kv.rewrite") && !actual.isEmpty()) {
            Files.write(file, actual);
        }
        Set<String> listed = Files.exists(file) ? new TreeSet<>(Files.readAllLines(file)) : Set.of();
        Set<String> unlisted = new TreeSet<>(actual);
        unlisted.removeAll(listed);
        Set<String> gone = new TreeSet<>(listed);
        gone.removeAll(actual);
        if (!unlisted.isEmpty() || !gone.isEmpty()) {
            fail("public-types.txt differs: public but not listed " + unlisted + ", listed but not public " + gone
                    + ". Make a type package-private, or run the test with -Dkv.rewrite=true and review the change.");
        }
    }
}
