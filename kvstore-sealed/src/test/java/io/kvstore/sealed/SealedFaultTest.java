package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.TableFileReader;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.FileSystemAbility;
import io.kvstore.io.Storage;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations of the storage that fail, a full disk, and Errors in the middle of anything. */
final class SealedFaultTest {

    private static final SmallFiles OLD = SmallFiles.of(7, 30, 100, true);
    private static final Set<String> GIVING = Set.of("create", "openReadOnly", "mapReadOnly", "lock");
    private static final Set<String> UNCOUNTED = Set.of("openResources", "path", "missingAbilities");

    private final SimStorage disk = new SimStorage();
    private final FaultyStorage faulty = new FaultyStorage(disk);

    static Stream<SmallFiles> files() {
        return Stream.concat(
                SealedCrashTest.files(),
                Stream.of(SmallFiles.of(12, 40, 30_000, false).inBlocks(4 << 10)));
    }

    @ParameterizedTest
    @MethodSource("files")
    void any_operation_of_a_build_fails_once(SmallFiles file) throws IOException {
        Set<Operation> failed = EnumSet.noneOf(Operation.class);
        for (long at = 0; ; at++) {
            for (FaultPlan.Fault fault : List.of(FaultPlan.Fault.EIO, FaultPlan.Fault.SHORT_EIO)) {
                Map<Operation, Long> before = faulty.failures();
                Throwable failure = buildWith(file, FaultPlan.ioError(at).with(fault));
                if (failure == null) {
                    assertTrue(
                            failed.containsAll(Set.of(
                                    Operation.CREATE,
                                    Operation.WRITE,
                                    Operation.SYNC,
                                    Operation.RENAME,
                                    Operation.SYNC_DIRECTORY,
                                    Operation.DELETE,
                                    Operation.LOCK,
                                    Operation.LIST)),
                            failed::toString);
                    return;
                }
                Operation operation = failedSince(before);
                failed.add(operation);
                assertInstanceOf(IOException.class, failure);
                checkAfter(file, operation, failure);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void a_disk_that_is_full_from_any_operation_on(SmallFiles file) throws IOException {
        int refused = 0;
        for (long at = 0; ; at++) {
            Map<Operation, Long> before = faulty.failures();
            Throwable failure = buildWith(file, FaultPlan.diskFull(at));
            if (failure == null) {
                assertTrue(refused > 3, refused + " refused");
                return;
            }
            if (failure instanceof UncertainOutcomeException) {
                assertEquals(Operation.SYNC_DIRECTORY, failedSince(before));
            } else {
                assertInstanceOf(DiskFullException.class, failure);
                String message = String.valueOf(failure.getMessage());
                assertTrue(message.startsWith("building table.sealed found the disk full after "), message);
                refused++;
            }
            checkAfter(
                    file,
                    failure instanceof UncertainOutcomeException ? Operation.SYNC_DIRECTORY : Operation.WRITE,
                    failure);
        }
    }

    private Operation failedSince(Map<Operation, Long> before) {
        for (Map.Entry<Operation, Long> kind : faulty.failures().entrySet()) {
            if (kind.getValue() > before.getOrDefault(kind.getKey(), 0L)) {
                return kind.getKey();
            }
        }
        throw new AssertionError("nothing failed");
    }

    /** How the build of a file ends that takes the place of another one. Null if it does so well. */
    private @Nullable Throwable buildWith(SmallFiles file, FaultPlan plan) throws IOException {
        faulty.disarm();
        OLD.build(faulty);
        assertEquals(List.of(SmallFiles.PATH), disk.files());
        faulty.arm(plan);
        try {
            file.build(faulty);
            return null;
        } catch (IOException | KVStoreException e) {
            return e;
        } finally {
            faulty.disarm();
        }
    }

    /** Only if the failure came behind the renaming, the new file is there. Only what cannot be deleted is left. */
    private void checkAfter(SmallFiles file, Operation failed, Throwable failure) throws IOException {
        try (TableFileReader reader = SmallFiles.open(disk)) {
            boolean isOld = reader.info().entries() == OLD.entries().size();
            boolean mayBeNew = failed == Operation.SYNC_DIRECTORY || failed == Operation.DELETE;
            assertTrue(isOld || mayBeNew, () -> "the file was replaced: " + failure);
            assertTrue(!isOld || failed != Operation.SYNC_DIRECTORY, () -> "not replaced: " + failure);
            (isOld ? OLD : file).check(reader);
        }
        assertEquals(0, disk.openResources(), failure::toString);
        if (failed != Operation.DELETE) {
            assertEquals(List.of(SmallFiles.PATH), disk.files(), failure::toString);
        }
    }

    /** Of a file that is read by position, so that there is more to fail. */
    @ParameterizedTest
    @MethodSource("files")
    void any_operation_of_reading_fails_once(SmallFiles file) throws IOException {
        file.build(disk);
        Storage storage = HookedStorage.over(
                faulty,
                (name, path, proceed) ->
                        name.equals("missingAbilities") ? Set.of(FileSystemAbility.MAPPED_FILES) : proceed.call());
        for (int at = 0; at < 60; at++) {
            faulty.arm(FaultPlan.ioError(at));
            try (TableFileReader reader = SmallFiles.open(storage)) {
                assertThrows(IOException.class, () -> file.check(reader));
                file.check(reader);
            } catch (IOException e) {
                assertTrue(at < 10, e::toString);
            }
            assertEquals(0, disk.openResources());
            faulty.disarm();
        }
        faulty.arm(new FaultPlan(Set.of(Operation.MAP), 0, false, FaultPlan.Fault.EIO));
        assertThrows(IOException.class, () -> SmallFiles.open(faulty));
        assertEquals(0, disk.openResources());
    }

    /** Before any call of the storage, or after it, if the call does not give what has to be closed. */
    @ParameterizedTest
    @MethodSource("files")
    void an_Error_at_any_call_leaves_the_old_file_and_nothing_open(SmallFiles file) throws IOException {
        for (boolean isAfter : new boolean[] {false, true}) {
            boolean isThrown = true;
            for (long at = 0; isThrown; at++) {
                OLD.build(disk);
                assertEquals(List.of(SmallFiles.PATH), disk.files());
                isThrown = throwsErrorAt(at, isAfter, file);
                try (TableFileReader reader = SmallFiles.open(disk)) {
                    (reader.info().entries() == OLD.entries().size() ? OLD : file).check(reader);
                }
                assertEquals(0, disk.openResources(), "call " + at);
            }
        }
    }

    private boolean throwsErrorAt(long at, boolean isAfter, SmallFiles file) throws IOException {
        AtomicLong calls = new AtomicLong();
        Storage storage = HookedStorage.over(disk, (name, path, proceed) -> {
            boolean isDue = !UNCOUNTED.contains(name) && calls.getAndIncrement() == at;
            boolean goesOn = name.equals("close") || (isAfter && !GIVING.contains(name));
            if (isDue && !goesOn) {
                throw new OutOfMemoryError("injected");
            }
            Object result = proceed.call();
            if (isDue) {
                throw new OutOfMemoryError("injected");
            }
            return result;
        });
        try {
            file.build(storage);
            try (TableFileReader reader = SmallFiles.open(storage)) {
                file.check(reader);
            }
        } catch (OutOfMemoryError e) {
            return true;
        } catch (IOException e) {
            assertInstanceOf(OutOfMemoryError.class, e.getCause());
            return true;
        }
        return calls.get() > at;
    }
}
