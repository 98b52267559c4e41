package io.kvstore.hash.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damaged files are refused, or answer with the newest commit. */
final class IndexFileDamageTest {

    private static final int UNIT = 4_096;
    private static final String PATH = IndexTable.SECOND_PATH;

    private final SimStorage disk = new SimStorage();
    private final IndexWorkload workload = new IndexWorkload(5);
    private byte[] whole = {};

    /** Units: head, mark, images and the first commit, two commits with changes. */
    @BeforeEach
    void makeFile() throws IOException {
        IndexTable.make(disk);
        try (IndexFile file = workload.table.open(disk)) {
            workload.change(9);
            workload.rewrite(file, true);
            for (int i = 0; i < 2; i++) {
                workload.change(4);
                workload.commit(file);
            }
        }
        whole = disk.bytes(PATH);
        assertEquals(5 * UNIT, whole.length);
    }

    /** Whether the damage is refused; if it is not, the file must have its newest commit. */
    private boolean isRefused(UnaryOperator<byte[]> damage, boolean readOnly) throws IOException {
        disk.replace(PATH, damage.apply(whole.clone()));
        try (IndexFile file = readOnly ? workload.table.openReadOnly(disk) : workload.table.open(disk)) {
            assertEquals(workload.returned(), workload.check(file));
            return false;
        } catch (CorruptionException e) {
            assertEquals(PATH, e.file());
            return true;
        } finally {
            assertEquals(0, disk.openResources());
        }
    }

    private static UnaryOperator<byte[]> flip(int at, int bit) {
        return bytes -> {
            bytes[at] ^= (byte) (1 << bit);
            return bytes;
        };
    }

    /** A bit of each byte, and all bits of a byte that is no padding. */
    @Test
    void flipped_bits_are_noticed_or_harmless() throws IOException {
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                if (whole[at] != 0 || at % 8 == bit) {
                    int where = at;
                    boolean isRefused = isRefused(flip(at, bit), bit % 2 == 0);
                    assertEquals(at / UNIT != 1, isRefused, () -> "a bit at " + where + " was flipped");
                }
            }
        }
    }

    @Test
    void cut_files_are_noticed() throws IOException {
        for (int length = 0; length < whole.length; length++) {
            int end = length;
            assertTrue(isRefused(bytes -> Arrays.copyOf(bytes, end), length % 2 == 0), () -> "cut at " + end);
        }
        assertEquals(false, isRefused(bytes -> bytes, false));
    }

    /** Without a mark, as after a loss of power, what lies before a commit was durable all the same. */
    @Test
    void damage_before_a_commit_is_no_torn_end() throws IOException {
        assertEquals(false, isRefused(IndexFileDamageTest::unmarked, true));
        for (int at = 2 * UNIT; at < whole.length; at++) {
            boolean isOfTheLastCommit = at >= whole.length - UNIT + changesBytes();
            if (!isOfTheLastCommit) {
                UnaryOperator<byte[]> flip = flip(at, at % 8);
                int where = at;
                assertTrue(isRefused(bytes -> flip.apply(unmarked(bytes)), at % 2 == 0), () -> "a bit at " + where);
            }
        }
    }

    private static byte[] unmarked(byte[] bytes) {
        Arrays.fill(bytes, UNIT, 2 * UNIT, (byte) 0);
        return bytes;
    }

    /** Length of the last block of changes. */
    private int changesBytes() {
        BlockWriter writer = new BlockWriter(0);
        int changes = ByteBuffer.wrap(whole).get(whole.length - UNIT + IndexFormat.BLOCK_HEAD_BYTES);
        BlockWriter.Changes all = new BlockWriter.Changes(new int[changes], new long[changes], new long[changes]);
        return writer.changes(0, all, 0, changes).remaining();
    }

    @Test
    void zeros_and_garbage_behind_the_newest_commit_are_cut_off() throws IOException {
        byte[] garbage = new byte[700];
        Arrays.fill(garbage, (byte) 3);
        for (byte[] tail : List.of(new byte[1], new byte[5_000], garbage, Arrays.copyOfRange(whole, 8_192, 8_900))) {
            byte[] longer = Arrays.copyOf(whole, whole.length + tail.length);
            System.arraycopy(tail, 0, longer, whole.length, tail.length);
            assertEquals(false, isRefused(bytes -> longer, true));
            assertEquals(longer.length, disk.sizeOf(PATH));
            assertEquals(false, isRefused(bytes -> longer, false));
            assertEquals(whole.length, disk.sizeOf(PATH));
        }
    }

    @Test
    void file_of_another_place_is_refused() throws IOException {
        TableContext context = workload.table.context(disk, false);
        byte[] otherTable = IndexFormat.head(context.fileTag() + 1, 2, 1);
        byte[] otherNumber = IndexFormat.head(context.fileTag(), 1, 1);
        for (byte[] head : List.of(otherTable, otherNumber)) {
            CorruptionException failure = assertThrows(CorruptionException.class, () -> {
                disk.replace(PATH, withHead(head));
                workload.table.open(disk).close();
            });
            assertTrue(String.valueOf(failure.getMessage()).contains("belongs to table"), failure.getMessage());
        }
        ByteWriter newer = new ByteWriter();
        new FileHeader(IndexFormat.HEADER.magic(), "index file", 2).write(newer, 0);
        disk.replace(PATH, withHead(newer.toArray()));
        assertThrows(StorageException.class, () -> workload.table.open(disk));
        ByteWriter flagged = new ByteWriter();
        IndexFormat.HEADER.write(flagged, 1);
        assertTrue(isRefused(bytes -> withHead(flagged.toArray()), false));
    }

    private byte[] withHead(byte[] head) {
        byte[] bytes = whole.clone();
        System.arraycopy(head, 0, bytes, 0, head.length);
        return bytes;
    }

    /** Blocks whose checksums are right, but that do not belong there. */
    @Test
    void wrong_sequence_is_refused() throws IOException {
        long seed = OpenFile.fileSeed(workload.table.context(disk, false), 2);
        BlockWriter writer = new BlockWriter(seed);
        for (long sequence : new long[] {0, 2, 4, 6}) {
            IndexCommit commit = new IndexCommit(sequence, 9, 9, ValueSegmentList.EMPTY);
            byte[] more = bytes(writer.commit(PATH, whole.length, commit));
            assertTrue(isRefused(bytes -> joined(bytes, more), true), "commit " + sequence + " follows commit 4");
        }
        IndexCommit unmarked = new IndexCommit(3, 9, 9, ValueSegmentList.EMPTY);
        byte[] changed = bytes(writer.commit(PATH, 4L * UNIT, unmarked));
        assertTrue(isRefused(
                bytes -> {
                    System.arraycopy(changed, 0, bytes, 4 * UNIT, UNIT);
                    return bytes;
                },
                true));
    }

    @Test
    void page_behind_a_commit_is_refused() throws IOException {
        BlockWriter writer = new BlockWriter(OpenFile.fileSeed(workload.table.context(disk, false), 2));
        BlockWriter.Entries entries = new BlockWriter.Entries(0, 0, new int[1], new long[] {1});
        byte[] page = bytes(writer.page(whole.length, entries, 0, 1));
        IndexCommit commit = new IndexCommit(5, 9, 9, ValueSegmentList.EMPTY);
        byte[] end = bytes(writer.commit(PATH, whole.length + page.length, commit));
        disk.replace(PATH, joined(joined(whole, page), end));
        try (IndexFile file = workload.table.openReadOnly(disk)) {
            CorruptionException failure = assertThrows(CorruptionException.class, () -> file.load(new IndexModel()));
            assertEquals(whole.length, failure.offset());
        }
    }

    /** A length that no block has takes no memory. */
    @Test
    void impossible_lengths_are_refused() throws IOException {
        for (int length : new int[] {Integer.MAX_VALUE, -1, 1 << 24, 70_000}) {
            for (int kind = 0; kind < 5; kind++) {
                ByteWriter block = new ByteWriter();
                block.u32(1).u32(length).u32(kind);
                byte[] head = block.toArray();
                assertTrue(isRefused(
                        bytes -> {
                            System.arraycopy(head, 0, bytes, 2 * UNIT, head.length);
                            return bytes;
                        },
                        true));
            }
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    @Test
    void verify_reports_each_damage_with_its_offset() throws IOException {
        try (IndexFile file = workload.table.open(disk)) {
            assertEquals(List.of(), offsets(file));
            for (int at : new int[] {8, 30, UNIT - 1}) {
                disk.replace(PATH, flip(at, 1).apply(whole.clone()));
                assertEquals(1, offsets(file).size());
            }
            disk.replace(PATH, flip(UNIT + 20, 1).apply(whole.clone()));
            assertEquals(List.of((long) UNIT), offsets(file));
            UnaryOperator<byte[]> first = flip(2 * UNIT + 9, 0);
            UnaryOperator<byte[]> last = flip(5 * UNIT - 1, 0);
            disk.replace(PATH, last.apply(first.apply(whole.clone())));
            List<Long> found = offsets(file);
            assertEquals(2, found.size());
            assertEquals(2L * UNIT, found.getFirst());
            assertTrue(found.getLast() > 4 * UNIT, found.toString());
            for (int at = 2 * UNIT; at < whole.length; at += 3) {
                disk.replace(PATH, flip(at, 3).apply(whole.clone()));
                assertEquals(1, offsets(file).size());
            }
        }
    }

    private static List<Long> offsets(IndexFile file) throws IOException {
        Findings findings = new Findings();
        file.verify(findings);
        return findings.kept().stream()
                .map(finding -> {
                    assertEquals(PATH, finding.file());
                    return finding.offset();
                })
                .toList();
    }
}
