package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.error.KVStoreException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a build leaves that a kill or a power cut ended, its name has the file before or the new one. */
final class SealedCrashTest {

    private static final SmallFiles OLD = SmallFiles.of(7, 30, 100, true);

    /** Builds of one and of several writes, with and without sorting, which takes four runs of its least memory. */
    static Stream<SmallFiles> files() {
        return Stream.of(
                SmallFiles.of(8, 40, 100, true),
                SmallFiles.of(9, 60, 10_000, true),
                SmallFiles.of(9, 60, 10_000, true).inBlocks(4 << 10),
                SmallFiles.of(10, 40, 100, false),
                SmallFiles.of(11, 50, 60_000, false),
                SmallFiles.of(9, 60, 10_000, true).as(Layout.PERFECT),
                SmallFiles.of(13, 700, 51, true).as(Layout.POINT),
                SmallFiles.of(14, 50, 8, false).as(Layout.POINT));
    }

    @ParameterizedTest
    @MethodSource("files")
    void power_cut_at_every_operation(SmallFiles file) throws IOException {
        SimStorage disk = new SimStorage();
        OLD.build(disk);
        Set<String> found = new TreeSet<>();
        disk.observe(() -> {
            for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 2, disk.operations())) {
                found.add(checkAfter(file, disk.crash(choice), choice.toString()));
            }
        });
        file.build(disk);
        disk.observe(() -> {});
        assertEquals("new", checkAfter(file, disk.crash(new CrashChoice.DropAll()), "the end"));
        assertEquals(Set.of("new", "old"), found);
    }

    @ParameterizedTest
    @MethodSource("files")
    void kill_at_every_operation(SmallFiles file) throws IOException {
        SimStorage disk = new SimStorage();
        OLD.build(disk);
        Set<String> found = new TreeSet<>();
        disk.observe(() -> found.add(checkAfter(file, disk.kill(), "a kill")));
        file.build(disk);
        disk.observe(() -> {});
        assertEquals(Set.of("new", "old"), found);
    }

    /** The first file of a name is there, or none is. */
    @ParameterizedTest
    @MethodSource("files")
    void power_cut_while_there_is_no_file_yet(SmallFiles file) throws IOException {
        SimStorage disk = new SimStorage();
        int[] crashes = {0};
        disk.observe(() -> {
            for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 1, disk.operations())) {
                SimStorage crashed = disk.crash(choice);
                if (crashed.files().contains(SmallFiles.PATH)) {
                    assertEquals("new", checkAfter(file, crashed, choice.toString()));
                }
                crashes[0]++;
            }
        });
        file.build(disk);
        disk.observe(() -> {});
        assertTrue(crashes[0] > 20, crashes[0] + " crashes");
    }

    /** Which file there is, all of which is right. The next build leaves no other. */
    private static String checkAfter(SmallFiles file, SimStorage crashed, String choice) {
        try {
            String found;
            try (TableFileReader reader = SmallFiles.open(crashed)) {
                boolean isOld = reader.info().entries() == OLD.entries().size();
                found = isOld ? "old" : "new";
                (isOld ? OLD : file).check(reader);
                Findings findings = new Findings();
                reader.verify(findings, Progress.NONE);
                assertEquals(List.of(), findings.kept());
            }
            OLD.build(crashed);
            assertEquals(List.of(SmallFiles.PATH), crashed.files());
            assertEquals(0, crashed.openResources());
            return found;
        } catch (IOException | KVStoreException | AssertionError e) {
            throw new AssertionError("after " + choice + ": " + e, e);
        }
    }
}
