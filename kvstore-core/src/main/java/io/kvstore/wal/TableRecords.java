package io.kvstore.wal;

import io.kvstore.data.TableMutations;
import io.kvstore.error.CorruptionException;
import io.kvstore.wal.format.FrameHeader;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.segment.ActiveSegment;
import io.kvstore.wal.segment.Gaps;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.util.List;

/** Reads the operations of one table from a full segment of the open log. */
final class TableRecords {

    private final LogConfig config;
    private final ActiveSegment segment;

    TableRecords(LogConfig config, ActiveSegment segment) {
        this.config = config;
        this.segment = segment;
    }

    void visit(int tableId, long above, LogReplay receiver) throws IOException {
        for (Gaps.Span span : segment.filled()) {
            try (FrameScanner scanner = new FrameScanner(
                    config.storage().openReadOnly(segment.path()), segment.id(), span.from(), span.to())) {
                while (scanner.next()) {
                    if (scanner.isRecord() && scanner.frame().lsn > above) {
                        visit(tableId, scanner, receiver);
                    }
                }
                if (scanner.position() != span.to()) {
                    throw new CorruptionException(segment.path(), scanner.position(), "a record of the log is damaged");
                }
            }
        }
    }

    private void visit(int tableId, FrameScanner scanner, LogReplay receiver) throws IOException {
        FrameHeader frame = scanner.frame();
        if (frame.kind != LogFormat.BATCH && frame.tableId != tableId) {
            return;
        }
        try {
            List<TableMutations> own = LogRecord.decode(frame, scanner.payload(), scanner.payloadAt()).stream()
                    .filter(table -> table.tableId() == tableId)
                    .toList();
            if (!own.isEmpty()) {
                receiver.apply(frame.lsn, own);
            }
        } catch (IllegalArgumentException | BufferUnderflowException e) {
            throw new CorruptionException(
                    segment.path(), scanner.position(), "a record cannot be read: " + e.getMessage());
        }
    }
}
