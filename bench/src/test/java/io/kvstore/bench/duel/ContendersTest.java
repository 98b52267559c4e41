package io.kvstore.bench.duel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bench.store.ContenderKind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That each contender of the duel does the cases that it can do, and no others. */
final class ContendersTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"KVSTORE_LSM", "KVSTORE_HASH", "ROCKSDB_BLOB", "LMDB", "MVSTORE"})
    void the_others_take_part_in_narrow_data_too(ContenderKind kind) {
        String report = SmallRun.of(
                2_000,
                "--subjects=" + kind,
                "--data=NARROW",
                "--cases=put-1,get-4,absent-1,mixed-1,scan-1,put-4",
                "--directory=" + directory);
        for (String one : List.of("put-1", "get-4", "absent-1", "mixed-1", "scan-1", "put-4")) {
            boolean takesPart = kind != ContenderKind.KVSTORE_HASH || !one.equals("scan-1"); // it has no order of keys
            assertEquals(takesPart, report.contains("| " + one + " | " + kind + " | "), report);
        }
    }

    @Test
    void the_limit_does_what_needs_no_order() {
        String report = SmallRun.of(
                2_000,
                "--subjects=LIMIT",
                "--cases=put-1,get-4,absent-1,mixed-4,scan-1,overwrite,remove,put-4,put-sync-1",
                "--directory=" + directory.resolve("is made"));
        for (String one : List.of("put-1", "get-4", "absent-1", "mixed-4", "overwrite", "put-4")) {
            assertTrue(report.contains("| " + one + " | LIMIT | "), report);
        }
        for (String one : List.of("scan-1", "remove", "put-sync-1")) {
            assertFalse(report.contains("| " + one + " | LIMIT | "), report);
        }
    }

    @Test
    void the_device_takes_part_in_synced_puts_of_one_thread() {
        String report = SmallRun.of(
                200,
                "--subjects=DEVICE,KVSTORE_LSM",
                "--cases=put-1,put-sync-1,put-sync-16",
                "--directory=" + directory);
        assertTrue(report.contains("| put-sync-1 | DEVICE | "), report);
        assertTrue(report.matches("(?s).*- put-sync-1, KVSTORE_LSM: [0-9.]+ x DEVICE.*"), report);
        for (String one : List.of("put-1", "put-sync-16")) {
            assertFalse(report.contains("| " + one + " | DEVICE | "), report);
        }
    }
}
