package io.kvstore.wal.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.testkit.Documents;
import io.kvstore.wal.KeptRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log's bytes: what the document says, and what a reader refuses. */
final class LogFormatTest {

    private static String magic() {
        byte[] bytes = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(LogFormat.MAGIC)
                .array();
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void the_document_says_what_is_written_of_kept_records() throws IOException {
        String text = Documents.section("docs/file-formats.md", "## Kept records");
        assertTrue(
                text.contains("Magic `" + KeptRecords.HEADER.magic() + "`, version " + KeptRecords.HEADER.version()));
    }

    @Test
    void the_document_says_what_the_code_writes() throws IOException {
        String text = Documents.section("docs/file-formats.md", "## Log segment");
        assertTrue(text.contains("Magic `" + magic() + "`, version " + LogFormat.VERSION));
        assertEquals(4_096, LogFormat.SEGMENT_HEADER_BYTES);
        assertTrue(text.contains("4,096 bytes; frames follow"));
        for (String row : List.of(
                "| " + LogFormat.PUT + " | put |",
                "| " + LogFormat.PUT_POINTER + " | put of a value kept elsewhere |",
                "| " + LogFormat.REMOVE + " | remove |",
                "| " + LogFormat.BATCH + " | batch |",
                "| " + LogFormat.WATERMARK + " | watermark |",
                "| " + LogFormat.SEAL + " | seal |",
                "| " + LogFormat.SUCCESSOR + " | successor |")) {
            assertTrue(text.contains(row), row);
        }
    }

    @Test
    void a_frame_is_one_only_in_its_own_place() {
        FrameHeader header = new FrameHeader();
        header.kind = LogFormat.PUT;
        header.lsn = 9;
        byte[] bytes = header.encode(5, 4_096).clone();
        assertTrue(new FrameHeader().decode(5, 4_096, bytes, 0, 1 << 20));
        assertFalse(new FrameHeader().decode(6, 4_096, bytes, 0, 1 << 20), "another segment");
        assertFalse(new FrameHeader().decode(5, 4_104, bytes, 0, 1 << 20), "another offset");
        for (int bit = 0; bit < 8 * LogFormat.FRAME_HEADER_BYTES; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertFalse(new FrameHeader().decode(5, 4_096, flipped, 0, 1 << 20), "bit " + bit);
        }
        assertFalse(new FrameHeader().decode(5, 4_096, new byte[32], 0, 1 << 20), "zeros");
    }

    @Test
    void a_kind_or_flag_that_is_not_known_is_refused() {
        FrameHeader frame = new FrameHeader();
        frame.kind = LogFormat.PUT_POINTER;
        assertRefused(frame, new byte[8]);
        frame.kind = LogFormat.PUT;
        frame.flags = 1;
        assertRefused(frame, new byte[8]);
        byte[] pointer = {1, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
        FrameHeader batch = new FrameHeader();
        batch.kind = LogFormat.BATCH;
        batch.length = pointer.length;
        assertRefused(batch, pointer);
    }

    private static void assertRefused(FrameHeader frame, byte[] payload) {
        assertThrows(IllegalArgumentException.class, () -> LogRecord.decode(frame, payload, 0));
        assertThrows(IllegalArgumentException.class, () -> LogRecord.visitTables(frame, payload, 0, table -> {}));
    }

    @Test
    void every_table_of_a_record_is_told() {
        assertEquals(List.of(7), tables(new TableMutations(7, List.of(new Mutation.Remove(new byte[3])))));
        TableMutations put = new TableMutations(3, List.of(new Mutation.Put(new byte[1], new byte[2])));
        assertEquals(List.of(3), tables(put));
        assertEquals(List.of(3, 9), tables(put, new TableMutations(9, List.of(new Mutation.Remove(new byte[0])))));
    }

    private static List<Integer> tables(TableMutations... operation) {
        LogRecord record = LogRecord.of(List.of(operation));
        FrameHeader frame = new FrameHeader();
        frame.kind = record.kind();
        frame.tableId = record.tableId();
        frame.length = record.value().length;
        List<Integer> tables = new ArrayList<>();
        LogRecord.visitTables(frame, record.value(), 0, tables::add);
        return tables;
    }

    @Test
    void batches_come_back_as_they_were() {
        List<TableMutations> operation = List.of(
                new TableMutations(3, List.of(new Mutation.Put(new byte[65_535], new byte[70_000]))),
                new TableMutations(
                        9, List.of(new Mutation.Remove(new byte[0]), new Mutation.Put(new byte[0], new byte[0]))));
        LogRecord record = LogRecord.of(operation);
        FrameHeader frame = new FrameHeader();
        frame.kind = record.kind();
        frame.length = record.value().length;
        List<TableMutations> back = LogRecord.decode(frame, record.value(), 0);
        assertEquals(2, back.size());
        assertEquals(65_535, back.get(0).mutations().getFirst().key().length);
        assertEquals(9, back.get(1).tableId());
        assertTrue(back.get(1).mutations().getFirst() instanceof Mutation.Remove);
    }
}
