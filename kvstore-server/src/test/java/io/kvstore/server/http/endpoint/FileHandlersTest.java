package io.kvstore.server.http.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class FileHandlersTest {

    private static final long MIB = 1 << 20;

    /** A build merges as many runs as its memory has 16 KiB, or 1,024, and refuses the table that makes more. */
    @Test
    void a_long_table_is_sorted_in_as_much_memory_as_its_runs_take() {
        assertEquals(16 * MIB, FileHandlers.sortMemoryBytes(0, 0));
        assertEquals(16 * MIB, FileHandlers.sortMemoryBytes(1_000_000, 100 * MIB));
        assertEquals(64 * MIB, FileHandlers.sortMemoryBytes(Long.MAX_VALUE, Long.MAX_VALUE));
        for (long entries = 1_000; entries < 1_000_000_000; entries *= 3) {
            for (int entryBytes : new int[] {10, 30, 100, 1_000, 10_000}) {
                long bytes = entries * entryBytes;
                long memory = FileHandlers.sortMemoryBytes(entries, bytes);
                double runs = 2.0 * (bytes + 56.0 * entries) / memory;
                long most = Math.max(1_024, memory / (16 << 10));
                long ofEntries = entries;
                assertTrue(
                        runs <= most || memory == 64 * MIB,
                        () -> runs + " runs of " + ofEntries + " entries with " + entryBytes + " bytes");
            }
        }
    }
}
