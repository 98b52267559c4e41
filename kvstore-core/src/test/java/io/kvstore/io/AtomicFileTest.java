package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The old bytes or the new ones, at every moment. */
final class AtomicFileTest {

    private static final byte[] OLD = filled(1500, 1);
    private static final byte[] NEW = filled(700, 2);

    @Test
    void crash_at_any_moment_leaves_the_old_or_the_new_bytes() throws IOException {
        SimStorage disk = withOld();
        AtomicInteger crashes = new AtomicInteger();
        disk.observe(() -> crashes.addAndGet(crashEveryWay(disk, crashes.get())));
        AtomicFile.write(disk, "d/f", ByteBuffer.wrap(NEW));
        assertTrue(crashes.get() > 30);
        for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 5, 1)) {
            assertArrayEquals(NEW, AtomicFile.read(disk.crash(choice), "d/f", 2000), "durable on return");
        }
    }

    private static int crashEveryWay(SimStorage disk, int seed) {
        int count = 0;
        for (CrashChoice choice : CrashChoice.enumerate(disk.pendingOperations(), 5, seed)) {
            SimStorage left = disk.crash(choice);
            try {
                byte[] bytes = AtomicFile.read(left, "d/f", 2000);
                assertTrue(Arrays.equals(bytes, OLD) || Arrays.equals(bytes, NEW), choice::toString);
                AtomicFile.write(left, "d/f", ByteBuffer.wrap(NEW));
                assertArrayEquals(NEW, AtomicFile.read(left, "d/f", 2000));
            } catch (IOException e) {
                throw new AssertionError(choice.toString(), e);
            }
            count++;
        }
        return count;
    }

    @Test
    void failure_of_any_operation_leaves_the_old_or_the_new_bytes() throws IOException {
        long at = 0;
        long failed;
        do {
            SimStorage disk = withOld();
            FaultyStorage faulty = new FaultyStorage(disk);
            faulty.arm(FaultPlan.ioError(at++).with(FaultPlan.Fault.SHORT_EIO));
            try {
                AtomicFile.write(faulty, "d/f", ByteBuffer.wrap(NEW));
            } catch (IOException e) {
                assertTrue(String.valueOf(e.getMessage()).contains("injected"));
            }
            failed = faulty.failed();
            byte[] bytes = AtomicFile.read(disk, "d/f", 2000);
            assertTrue(Arrays.equals(bytes, OLD) || Arrays.equals(bytes, NEW));
            assertEquals(0, disk.openResources());
        } while (failed > 0);
        assertEquals(7, at);
    }

    @Test
    void missing_file_is_null_and_a_file_too_long_is_damage() throws IOException {
        SimStorage disk = withOld();
        assertNull(AtomicFile.read(disk, "d/none", 10));
        assertThrows(CorruptionException.class, () -> AtomicFile.read(disk, "d/f", 1499));
        AtomicFile.write(disk, "top", ByteBuffer.wrap(NEW));
        assertArrayEquals(NEW, AtomicFile.read(disk.crash(new CrashChoice.DropAll()), "top", 700));
    }

    private static SimStorage withOld() throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory("d");
        disk.syncDirectory("");
        AtomicFile.write(disk, "d/f", ByteBuffer.wrap(OLD));
        return disk;
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
