package io.kvstore.testkit;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import io.kvstore.data.Workers;
import java.io.File;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** {@link HouseRules}, and what holds only for the modules that keep data: the core and the engines. */
public abstract class StorageRules extends HouseRules {
    private static final String CORE = "io.kvstore";
    private static final String FILES = "io.kvstore.io..";
    private static final String DURABILITY = "io.kvstore.durability..";

    /** Applies what is in the log already. */
    private static final String REPLAY = "io.kvstore.engine.DirectReplay";

    private static final DescribedPredicate<JavaClass> USES_FILES = DescribedPredicate.describe(
            "are files or channels",
            type -> type.getPackageName().startsWith("java.nio.channels")
                    || type.getPackageName().startsWith("java.nio.file")
                    || type.getName().startsWith("java.io.File")
                    || type.getName().equals("java.io.RandomAccessFile"));

    private static final DescribedPredicate<JavaClass> NAMES_A_FILE = DescribedPredicate.describe(
            "are names of files", type -> type.isEquivalentTo(File.class) || type.isEquivalentTo(Path.class));

    private static final DescribedPredicate<JavaMethodCall> STARTS_A_THREAD = DescribedPredicate.describe(
            "start a thread",
            call -> call.getTargetOwner().getName().equals("java.util.concurrent.Executors")
                    || (call.getTargetOwner().getName().startsWith("java.lang.Thread")
                            && Set.of("start", "startVirtualThread").contains(call.getName())));

    /** @param root the package that all classes of the module are in or below */
    protected StorageRules(String root) {
        super(root);
    }

    /** Packages of the module that start threads of their own. An engine starts none: it is given an executor. */
    protected Set<String> threadStarters() {
        return Set.of();
    }

    @Test
    void files_are_used_only_behind_the_storage_seam() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(FILES, CORE)
                .should()
                .dependOnClassesThat(USES_FILES)
                .because("tests replace the storage; what goes around it is never tested against a crash"));
        check(noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat(USES_FILES.and(DescribedPredicate.not(NAMES_A_FILE)))
                .because("the API takes a File or a Path and opens neither"));
    }

    @Test
    void nothing_is_printed() {
        check(noClasses()
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(Throwable.class, "printStackTrace")
                .because("an embedded store does not write to its host's console: use Notices"));
    }

    @Test
    void only_notices_tell_people() {
        check(noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.kvstore.error.Notices")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.System\\$Logger.*|java\\.util\\.logging\\..*")
                .orShould()
                .callMethodWhere(target(name("getLogger")))
                .because("a logger or handler of the host may throw anything, where something has to be given back"));
    }

    @Test
    void time_and_chance_come_with_the_context() {
        check(noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Clock.class, "systemUTC")
                .orShould()
                .callConstructor(Random.class)
                .orShould()
                .callConstructor(SplittableRandom.class)
                .orShould()
                .callMethod(ThreadLocalRandom.class, "current")
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .because("a test must be able to repeat a run: take the clock, the seed and the waiter given"));
    }

    @Test
    void threads_come_with_the_context() {
        String[] starters = threadStarters().toArray(String[]::new);
        check(noClasses()
                .that()
                .resideOutsideOfPackages(starters)
                .should()
                .callMethodWhere(STARTS_A_THREAD)
                .because("a test steps all work in one thread; name the packages that may start threads"));
    }

    /** To close an arena interrupts the threads that are inside; so each of these says why nobody is. */
    private static final Set<String> CLOSE_ARENAS = Set.of(
            // a table's index, after its last call and its last task
            "io.kvstore.value.index.HashIndex",
            // bytes of the log before they are written, under the lock of who appends or who writes
            "io.kvstore.wal.segment.StagedSegment$Stage",
            // for a mapping that its owners retire, or close when no version holds its file
            // for a piece of a file in memory, when neither a name, nor a handle, nor a mapping of the file is left
            "io.kvstore.io.offheap.LentArena",
            // what could not be made
            "io.kvstore.io.RealReadMapping",
            "io.kvstore.io.offheap.OffHeapChunk",
            // a block and a mapping that only the one thread that reads the file is ever inside
            "io.kvstore.io.SequentialFile",
            // a log segment that is full or sealed, and that nobody appends to
            "io.kvstore.io.RealMapping",
            // after the last call of its table, or when no call is under way that found it
            "io.kvstore.bplus.buffer.FramePool",
            // after the last call of its table; and what could not be made
            "io.kvstore.hash.index.PageMemory",
            // when no version holds it, after the readers of the last one have left
            "io.kvstore.lsm.memtable.MemTable");

    @Test
    void arenas_are_closed_only_where_nobody_can_be_inside() {
        check(noClasses()
                .that(DescribedPredicate.describe(
                        "have no reason to", type -> !CLOSE_ARENAS.contains(type.getFullName())))
                .should()
                .callMethodWhere(target(name("close")).and(targetOwner(assignableTo("java.lang.foreign.Arena"))))
                .orShould()
                .callMethod("java.lang.foreign.Arena", "ofShared")
                .because("a thread that reads from an arena that is closed finds itself interrupted"));
    }

    @Test
    void a_task_that_finds_no_thread_is_no_failure() {
        check(noClasses()
                .that()
                .areNotAssignableTo(Workers.class)
                .should()
                .callMethodWhere(target(name("execute")).and(targetOwner(assignableTo(Executor.class))))
                .because("a thread that cannot be started now is met by the caller: use offer or a BackgroundTask"));
    }

    @Test
    void only_the_write_door_applies_mutations() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(DURABILITY)
                .and()
                .doNotHaveFullyQualifiedName(REPLAY)
                .should()
                .callMethodWhere(target(name("apply")).and(targetOwner(assignableTo("io.kvstore.engine.TableEngine"))))
                .because("a mutation that is applied without its log record is lost by a crash"));
    }
}
