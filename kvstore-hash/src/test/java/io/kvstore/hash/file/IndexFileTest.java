package io.kvstore.hash.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.Documents;
import io.kvstore.testkit.RecordingStorage;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is written to an index file comes back, and its files come and go in the right order. */
final class IndexFileTest {

    private static final int MANY = 20_000;

    private final SimStorage disk = new SimStorage();
    private final IndexTable table = new IndexTable();

    @BeforeEach
    void makeTable() throws IOException {
        IndexTable.make(disk);
    }

    private static Map<Long, Integer> load(IndexFile file) throws IOException {
        IndexModel model = new IndexModel();
        file.load(model);
        return model.words();
    }

    private static long[] words(int count, long first) {
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            words[i] = first + i;
        }
        return words;
    }

    @Test
    void new_table_has_an_empty_commit_and_the_seed_of_its_context() throws IOException {
        try (IndexFile file = table.open(disk)) {
            assertEquals(new IndexCommit(1, 0, 0, ValueSegmentList.EMPTY), file.committed());
            assertEquals(table.context(disk, false).seed(), file.seed());
            assertEquals(Map.of(), load(file));
            assertEquals(12_288, file.bytes());
        }
        assertEquals(List.of(IndexTable.PATH), disk.files());
        assertEquals(12_288, disk.sizeOf(IndexTable.PATH));
    }

    @Test
    void random_steps_come_back() {
        Seeds.each(1, 20, seed -> {
            SimStorage storage = new SimStorage();
            IndexTable.make(storage);
            IndexWorkload workload = new IndexWorkload(seed);
            workload.setMost(60);
            for (int life = 0; life < 5; life++) {
                try (IndexFile file = workload.table.open(storage)) {
                    for (int i = 0; i < 12; i++) {
                        workload.step(file);
                        workload.checkState(file);
                    }
                    workload.commit(file);
                }
                assertEquals(workload.returned(), workload.check(storage));
            }
            assertEquals(0, storage.openResources());
            assertEquals(1, storage.files().size());
        });
    }

    /** More than one block takes, and more than the reader has in memory. */
    @Test
    void long_calls_are_split() throws IOException {
        int[] hashes = new int[MANY];
        long[] none = new long[MANY];
        long[] first = words(MANY, 1);
        long[] second = words(MANY, MANY + 1);
        try (IndexFile file = table.open(disk)) {
            file.changes(hashes, none, first, 0, MANY);
            file.commit(1, MANY, ValueSegmentList.EMPTY);
            file.changes(hashes, first, second, 0, MANY);
            file.changes(hashes, first, second, MANY, MANY);
            file.commit(2, MANY, ValueSegmentList.EMPTY);
            assertEquals(2 * MANY, file.changesSinceImage());
        }
        try (IndexFile file = table.open(disk)) {
            assertEquals(disk.sizeOf(IndexTable.PATH), file.bytes());
            Map<Long, Integer> expected = new TreeMap<>();
            for (long word : second) {
                expected.put(word, 0);
            }
            assertEquals(expected, load(file));
            assertEquals(2 * MANY, file.changesSinceImage());
            try (IndexFile.Rewrite rewrite = file.rewrite()) {
                rewrite.image(0, 0, hashes, first, MANY);
                rewrite.changes(hashes, first, second, 7, MANY);
                assertTrue(file.bytes() > disk.sizeOf(IndexTable.PATH) + MANY * 30L);
                rewrite.commit(3, MANY, ValueSegmentList.EMPTY);
            }
            expected.keySet().removeIf(word -> word <= MANY + 7);
            for (long word = 1; word <= 7; word++) {
                expected.put(word, 0);
            }
            assertEquals(expected, load(file));
            assertEquals(MANY - 7, file.changesSinceImage());
            assertEquals(disk.sizeOf(IndexTable.SECOND_PATH), file.bytes());
        }
        assertEquals(List.of(IndexTable.SECOND_PATH), disk.files());
    }

    @Test
    void commit_names_many_value_segments() throws IOException {
        List<ValueSegmentUse> uses = new ArrayList<>();
        for (int i = 1; i <= MANY; i++) {
            uses.add(new ValueSegmentUse(new ValueSegmentInfo(i, 1 << 26, 1 << 20), 1 << 25));
        }
        ValueSegmentList list = new ValueSegmentList(MANY + 1, uses);
        try (IndexFile file = table.open(disk)) {
            file.commit(1, 0, list);
            file.commit(2, 0, ValueSegmentList.EMPTY);
            file.commit(3, 0, list);
        }
        try (IndexFile file = table.open(disk)) {
            assertEquals(new IndexCommit(4, 3, 0, list), file.committed());
            assertEquals(Map.of(), load(file));
        }
    }

    @Test
    void changes_without_a_commit_do_not_count() throws IOException {
        try (IndexFile file = table.open(disk)) {
            file.changes(new int[] {1}, new long[1], new long[] {5}, 0, 1);
            assertEquals(1, file.changesSinceImage());
            assertEquals(Map.of(), load(file));
            assertEquals(1, file.changesSinceImage());
        }
        try (IndexFile file = table.open(disk)) {
            assertEquals(Map.of(), load(file));
            assertEquals(0, file.changesSinceImage());
            assertEquals(12_288, disk.sizeOf(IndexTable.PATH));
        }
    }

    @Test
    void seed_stays_with_the_table() throws IOException {
        try (IndexFile file = table.open(disk);
                IndexFile.Rewrite rewrite = file.rewrite()) {
            rewrite.commit(1, 0, ValueSegmentList.EMPTY);
        }
        try (IndexFile file = table.open(disk)) {
            assertEquals(table.context(disk, false).seed(), file.seed());
        }
    }

    /** Each sync makes durable what the next step rests on. */
    @Test
    void steps_of_a_commit_and_of_a_new_file_have_their_order() throws IOException {
        RecordingStorage recorded = new RecordingStorage(disk);
        table.onCommitPoint(lsn -> recorded.note("barrier " + lsn));
        try (IndexFile file = table.open(recorded)) {
            recorded.clear();
            file.changes(new int[] {1}, new long[1], new long[] {5}, 0, 1);
            file.commit(3, 1, ValueSegmentList.EMPTY);
            file.commit(4, 1, ValueSegmentList.EMPTY);
            IndexFile.Rewrite rewrite = file.rewrite();
            rewrite.image(0, 0, new int[] {1}, new long[] {5}, 1);
            rewrite.commit(5, 1, ValueSegmentList.EMPTY);
        }
        String first = IndexTable.PATH;
        String second = IndexTable.SECOND_PATH;
        List<String> expected = List.of(
                "write " + first + " 12288+40",
                "barrier 3",
                "sync " + first,
                "write " + first + " 12328+4056",
                "sync " + first,
                "write " + first + " 4096+4096",
                "barrier 4",
                "write " + first + " 16384+4096",
                "sync " + first,
                "write " + first + " 4096+4096",
                "delete " + second + ".tmp",
                "create " + second + ".tmp",
                "write " + second + ".tmp 0+4096",
                "barrier 5",
                "write " + second + ".tmp 8192+4096",
                "write " + second + ".tmp 4096+4096",
                "sync " + second + ".tmp",
                "rename " + second + ".tmp " + second,
                "sync directory t",
                "delete " + first);
        assertEquals(expected, recorded.trace());
    }

    @Test
    void new_file_that_is_given_up_leaves_nothing() throws IOException {
        try (IndexFile file = table.open(disk)) {
            IndexFile.Rewrite rewrite = file.rewrite();
            assertThrows(IllegalStateException.class, file::rewrite);
            rewrite.image(0, 0, new int[1], new long[] {9}, 1);
            rewrite.close();
            assertThrows(
                    IllegalStateException.class, () -> rewrite.changes(new int[1], new long[1], new long[1], 0, 1));
            assertThrows(IllegalStateException.class, () -> rewrite.commit(1, 0, ValueSegmentList.EMPTY));
            assertEquals(List.of(IndexTable.PATH), disk.files());
            assertEquals(12_288, file.bytes());
            file.rewrite();
        }
        assertEquals(List.of(IndexTable.PATH), disk.files());
        assertEquals(0, disk.openResources());
    }

    /** A crash between the commit of a file and the deletion of the one before leaves both. */
    @Test
    void newest_of_several_files_counts() throws IOException {
        table.open(disk).close();
        byte[] first = disk.bytes(IndexTable.PATH);
        try (IndexFile file = table.open(disk);
                IndexFile.Rewrite rewrite = file.rewrite()) {
            rewrite.image(0, 0, new int[1], new long[] {9}, 1);
            rewrite.commit(1, 1, ValueSegmentList.EMPTY);
        }
        put(IndexTable.PATH, first);
        put("t/00000003.idx.tmp", first);
        try (IndexFile file = table.openReadOnly(disk)) {
            assertEquals(1, file.committed().lsn());
        }
        assertEquals(List.of(IndexTable.PATH, IndexTable.SECOND_PATH, "t/00000003.idx.tmp"), disk.files());
        try (IndexFile file = table.open(disk)) {
            assertEquals(1, file.committed().lsn());
            assertEquals(Map.of(9L, 0), load(file));
        }
        assertEquals(List.of(IndexTable.SECOND_PATH), disk.files());
    }

    /** A file gets its name with its first commit. So one without a commit was damaged, and an older one says nothing. */
    @Test
    void newer_file_without_a_commit_is_damage_unless_it_has_no_name_yet() throws IOException {
        table.open(disk).close();
        put(IndexTable.SECOND_PATH, IndexFormat.head(77, 2, 1));
        CorruptionException failure = assertThrows(CorruptionException.class, () -> table.open(disk));
        assertEquals(IndexTable.SECOND_PATH, failure.file());
        assertEquals(0, disk.openResources());
        disk.rename(IndexTable.SECOND_PATH, IndexTable.SECOND_PATH + ".tmp");
        table.open(disk).close();
        assertEquals(List.of(IndexTable.PATH), disk.files());
    }

    private void put(String path, byte[] bytes) throws IOException {
        disk.create(path).close();
        disk.replace(path, bytes);
    }

    @Test
    void missing_file_beside_others_is_noticed() throws IOException {
        put("t/00000001.val", new byte[10]);
        put("t/00000001.idx.tmp", new byte[10]);
        for (boolean readOnly : new boolean[] {false, true}) {
            CorruptionException failure =
                    assertThrows(CorruptionException.class, () -> IndexFile.open(table.context(disk, readOnly)));
            assertEquals("t/00000001.idx: is missing beside [00000001.val]", failure.getMessage());
        }
    }

    @Test
    void reading_only_changes_nothing() throws IOException {
        RecordingStorage recorded = new RecordingStorage(disk);
        try (IndexFile file = table.openReadOnly(recorded)) {
            assertEquals(IndexCommit.EMPTY, file.committed());
            assertEquals(Map.of(), load(file));
            file.verify(new Findings());
            assertThrows(IllegalStateException.class, () -> file.commit(1, 0, ValueSegmentList.EMPTY));
            assertThrows(IllegalStateException.class, file::rewrite);
        }
        IndexWorkload workload = new IndexWorkload(1);
        try (IndexFile file = workload.table.open(disk)) {
            workload.change(5);
            workload.commit(file);
            workload.change(5);
            workload.write(file);
            file.rewrite();
            try (IndexFile reader = workload.table.openReadOnly(recorded)) {
                workload.check(reader);
                Findings findings = new Findings();
                reader.verify(findings);
                assertEquals(List.of(), findings.kept());
                assertThrows(
                        IllegalStateException.class, () -> reader.changes(new int[1], new long[1], new long[1], 0, 1));
            }
        }
        assertEquals(List.of(), recorded.trace());
        assertFalse(disk.files().isEmpty());
    }

    @Test
    void format_is_documented() throws IOException {
        String text = Documents.section("docs/file-formats.md", "## Hash table");
        assertTrue(text.contains("`" + IndexFormat.HEADER.magic() + "`"), text);
        assertTrue(text.contains("version " + IndexFormat.HEADER.version()), text);
    }
}
