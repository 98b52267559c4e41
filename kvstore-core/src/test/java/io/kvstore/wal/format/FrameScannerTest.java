package io.kvstore.wal.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FrameScannerTest {

    private static final String PATH = "segment";
    private static final long SEGMENT = 3;
    private static final int WINDOW_BYTES = 256 << 10;

    private static byte[] frame(long lsn, long offset) {
        LogRecord record =
                LogRecord.of(List.of(new TableMutations(1, List.of(new Mutation.Put(new byte[] {1}, new byte[20])))));
        FrameHeader header = new FrameHeader();
        header.set(lsn, record, record.checksum());
        byte[] bytes = new byte[(int) record.frameBytes()];
        System.arraycopy(header.encode(SEGMENT, offset), 0, bytes, 0, LogFormat.FRAME_HEADER_BYTES);
        bytes[LogFormat.FRAME_HEADER_BYTES] = 1; // the key; the value is zeros
        return bytes;
    }

    /** A scanner that cannot be made, such as for want of memory, leaves no file open. */
    @Test
    void a_file_whose_scanner_cannot_be_made_is_closed() throws IOException {
        SimStorage disk = new SimStorage();
        disk.create(PATH).close();
        Storage failing = HookedStorage.over(disk, (name, path, rest) -> {
            if (name.equals("size")) {
                throw new OutOfMemoryError("for the test");
            }
            return rest.call();
        });
        StorageFile file = failing.openReadOnly(PATH);
        assertThrows(OutOfMemoryError.class, () -> new FrameScanner(file, SEGMENT, 0, 100));
        assertEquals(0, disk.openResources());
    }

    /** Wherever a frame lies behind zeros, and whatever lies before these, a search finds it. */
    @Test
    void a_search_finds_a_frame_behind_zeros() throws IOException {
        for (int gap = LogFormat.ALIGNMENT; gap < 9_000; gap += LogFormat.ALIGNMENT) {
            search(0, gap);
        }
        for (int gap = WINDOW_BYTES - 200; gap < WINDOW_BYTES + 200; gap += LogFormat.ALIGNMENT) {
            search(0, gap);
            search(gap / 2 / LogFormat.ALIGNMENT * LogFormat.ALIGNMENT, gap);
        }
    }

    /** @param garbage so many bytes are not zero, and the last one of them */
    private static void search(int garbage, int gap) throws IOException {
        SimStorage disk = new SimStorage();
        byte[] bytes = new byte[gap + 8_192];
        Arrays.fill(bytes, 0, garbage, (byte) 1);
        byte[] frame = frame(5, gap);
        System.arraycopy(frame, 0, bytes, gap, frame.length);
        try (StorageFile file = disk.create(PATH)) {
            file.write(ByteBuffer.wrap(bytes), 0);
        }
        try (FrameScanner scanner = new FrameScanner(disk.openReadOnly(PATH), SEGMENT, 0, bytes.length)) {
            assertFalse(scanner.next());
            assertTrue(scanner.seek(), "behind " + gap);
            assertEquals(gap, scanner.position());
            assertEquals(5, scanner.frame().lsn);
            assertFalse(scanner.next());
            assertFalse(scanner.seek());
            assertEquals(gap + frame.length, scanner.lastEnd());
        }
    }
}
