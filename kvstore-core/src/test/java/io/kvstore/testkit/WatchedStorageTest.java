package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.io.AtomicFile;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.StorageFile;
import io.kvstore.io.WritableMapping;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Faults where they were planned, and traces of what was done. */
final class WatchedStorageTest {

    private final SimStorage disk = new SimStorage();
    private final FaultyStorage faulty = new FaultyStorage(disk);
    private final RecordingStorage recording = new RecordingStorage(disk);

    @Test
    void fails_the_planned_operation_once() throws IOException {
        faulty.arm(new FaultPlan(EnumSet.of(Operation.WRITE), 1, false, FaultPlan.Fault.EIO));
        try (StorageFile file = faulty.create("a")) {
            file.write(ByteBuffer.allocate(10), 0);
            assertThrows(IOException.class, () -> file.write(ByteBuffer.allocate(10), 10));
            file.write(ByteBuffer.allocate(5), 10);
            assertEquals(15, file.size());
        }
        assertEquals(Map.of(Operation.WRITE, 1L), faulty.failures());
        assertEquals(3, faulty.counted());
    }

    @Test
    void sticky_full_disk_fails_until_it_is_disarmed() throws IOException {
        faulty.arm(FaultPlan.diskFull(1));
        try (StorageFile file = faulty.create("a")) {
            assertThrows(NoSpaceException.class, () -> file.write(ByteBuffer.allocate(10), 0));
            assertThrows(NoSpaceException.class, file::sync);
            faulty.disarm();
            file.write(ByteBuffer.allocate(10), 0);
        }
        assertEquals(2, faulty.failed());
    }

    @Test
    void short_write_does_the_first_half() throws IOException {
        faulty.arm(FaultPlan.ioError(1).with(FaultPlan.Fault.SHORT_EIO));
        try (StorageFile file = faulty.create("a")) {
            assertThrows(IOException.class, () -> file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 0));
        }
        assertArrayEquals(new byte[] {1, 2}, disk.bytes("a"));
    }

    @Test
    void failed_sync_and_failed_force_lose_the_bytes() throws IOException {
        try (StorageFile file = faulty.create("a")) {
            faulty.syncDirectory("");
            file.write(ByteBuffer.wrap(new byte[512]), 0);
            file.sync();
            file.write(ByteBuffer.wrap(new byte[] {1}), 0);
            faulty.arm(FaultPlan.ioError(0));
            assertThrows(IOException.class, file::sync);
            file.sync();
        }
        try (WritableMapping mapping = faulty.map("a", 512)) {
            mapping.memory().set(ValueLayout.JAVA_BYTE, 300, (byte) 3);
            faulty.arm(FaultPlan.ioError(0));
            assertThrows(IOException.class, () -> mapping.force(0, 512));
            mapping.force(0, 512);
        }
        assertArrayEquals(new byte[512], disk.crash(new CrashChoice.KeepAll()).bytes("a"));
    }

    @Test
    void records_what_an_atomic_replacement_does_in_order() throws IOException {
        recording.createDirectory("d");
        recording.clear();
        AtomicFile.write(recording, "d/f", ByteBuffer.wrap(new byte[3]));
        recording.note("ack");
        assertEquals(
                List.of(
                        "delete d/f.tmp",
                        "create d/f.tmp",
                        "write d/f.tmp 0+3",
                        "sync d/f.tmp",
                        "rename d/f.tmp d/f",
                        "sync directory d",
                        "ack"),
                recording.trace());
        assertEquals(4, recording.lineOf("rename", 0));
        assertThrows(AssertionError.class, () -> recording.lineOf("rename", 5));
    }

    @Test
    void refuses_to_change_a_sealed_file() throws IOException {
        try (StorageFile file = recording.create("a")) {
            file.write(ByteBuffer.allocate(1), 0);
            recording.seal("a");
            assertThrows(AssertionError.class, () -> file.write(ByteBuffer.allocate(1), 0));
            assertThrows(AssertionError.class, () -> file.truncate(0));
        }
        assertFalse(recording.trace().contains("truncate a 0"));
    }
}
