package io.kvstore.wal.format;

import io.kvstore.data.Mutation;
import io.kvstore.data.TableMutations;
import io.kvstore.error.InvalidRequestException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;

/**
 * One operation in the form in which it is logged, prepared outside every lock, or a mark of the log itself. The payload is
 * checksummed when the record is created. If the caller may still change the value, the payload is checksummed in the log
 * instead, after it was copied there. So a record in the log always matches its checksum.
 *
 * @param tableId the table; 0 for a batch, whose payload names its tables, and for a mark
 * @param key first part of the payload
 * @param value second part of the payload
 * @param isShared whether the value is the caller's array and may change
 * @param payloadCrc CRC32C of key and value; 0 if the value is shared
 */
public record LogRecord(
        byte kind, int tableId, byte[] key, byte[] value, boolean isShared, int payloadCrc, int[] tables) {

    private static final byte[] NOTHING = {};
    private static final byte INLINE = 1;
    private static final byte TOMBSTONE = 3;
    private static final int TABLE_HEAD_BYTES = 8;
    private static final int CHANGE_HEAD_BYTES = 8;

    /** Makes the record of an operation. A single change takes less room than a batch. */
    public static LogRecord of(List<TableMutations> operation) {
        if (operation.size() == 1 && operation.getFirst().mutations().size() == 1) {
            int tableId = operation.getFirst().tableId();
            return switch (operation.getFirst().mutations().getFirst()) {
                case Mutation.Put put -> single(LogFormat.PUT, tableId, put.key(), put.value());
                case Mutation.Remove remove -> single(LogFormat.REMOVE, tableId, remove.key(), NOTHING);
            };
        }
        byte[] payload = encodeBatch(operation);
        int[] tables =
                operation.stream().mapToInt(TableMutations::tableId).distinct().toArray();
        return new LogRecord(LogFormat.BATCH, 0, NOTHING, payload, false, crcOf(NOTHING, payload), tables);
    }

    /** A frame without an operation. */
    public static LogRecord mark(byte kind, byte[] payload) {
        return new LogRecord(kind, 0, NOTHING, payload, false, crcOf(NOTHING, payload), new int[0]);
    }

    private static LogRecord single(byte kind, int tableId, byte[] key, byte[] value) {
        boolean shared = value.length > Mutation.COPIED_VALUE_BYTES;
        return new LogRecord(kind, tableId, key, value, shared, shared ? 0 : crcOf(key, value), new int[] {tableId});
    }

    /** CRC32C of key and value as they are now. */
    public int checksum() {
        return isShared ? crcOf(key, value) : payloadCrc;
    }

    public long frameBytes() {
        return LogFormat.frameBytes((long) key.length + value.length);
    }

    private static int crcOf(byte[] key, byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(key, 0, key.length);
        crc.update(value, 0, value.length);
        return (int) crc.getValue();
    }

    private static byte[] encodeBatch(List<TableMutations> operation) {
        long bytes = 4;
        for (TableMutations table : operation) {
            bytes += TABLE_HEAD_BYTES;
            for (Mutation change : table.mutations()) {
                bytes += CHANGE_HEAD_BYTES + change.key().length + valueOf(change).length;
            }
        }
        if (bytes > Integer.MAX_VALUE - 64) {
            throw new InvalidRequestException("the batch takes " + bytes + " bytes in the log; the limit is 2 GiB");
        }
        ByteBuffer out = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(operation.size());
        for (TableMutations table : operation) {
            out.putInt(table.tableId()).putInt(table.mutations().size());
            for (Mutation change : table.mutations()) {
                byte[] value = valueOf(change);
                out.put(change instanceof Mutation.Put ? INLINE : TOMBSTONE).put((byte) 0);
                out.putShort((short) change.key().length).putInt(value.length);
                out.put(change.key()).put(value);
            }
        }
        return out.array();
    }

    private static byte[] valueOf(Mutation change) {
        return change instanceof Mutation.Put put ? put.value() : NOTHING;
    }

    /**
     * Visits the id of each table that the operation of a frame changes. The checksums of the frame hold. A single change is
     * not copied for this: it can be decoded if its kind is known.
     *
     * @throws IllegalArgumentException if this version does not know the kind or the flags of something in the frame
     */
    public static void visitTables(FrameHeader frame, byte[] payload, int at, IntConsumer visitor) {
        checkFlags(frame);
        if (frame.kind == LogFormat.PUT || frame.kind == LogFormat.REMOVE) {
            visitor.accept(frame.tableId);
        } else {
            decode(frame, payload, at).forEach(table -> visitor.accept(table.tableId()));
        }
    }

    /** The operation of a frame whose checksums hold. Refuses what {@link #visitTables} refuses. */
    public static List<TableMutations> decode(FrameHeader frame, byte[] payload, int at) {
        checkFlags(frame);
        int valueAt = at + frame.keyLength;
        byte[] key = Arrays.copyOfRange(payload, at, valueAt);
        return switch (frame.kind) {
            case LogFormat.PUT ->
                single(frame.tableId, new Mutation.Put(key, Arrays.copyOfRange(payload, valueAt, at + frame.length)));
            case LogFormat.REMOVE -> single(frame.tableId, new Mutation.Remove(key));
            case LogFormat.BATCH -> decodeBatch(ByteBuffer.wrap(payload, at, frame.length));
            default ->
                throw new IllegalArgumentException("record kind " + frame.kind + " is not known to this version");
        };
    }

    private static void checkFlags(FrameHeader frame) {
        if (frame.flags != 0) {
            throw new IllegalArgumentException("flags " + frame.flags + " are not known to this version");
        }
    }

    private static List<TableMutations> single(int tableId, Mutation change) {
        return List.of(new TableMutations(tableId, List.of(change)));
    }

    private static List<TableMutations> decodeBatch(ByteBuffer payload) {
        ByteBuffer in = payload.order(ByteOrder.LITTLE_ENDIAN);
        int tableCount = in.getInt();
        requireCount(tableCount);
        List<TableMutations> operation = new ArrayList<>();
        for (int table = 0; table < tableCount; table++) {
            int tableId = in.getInt();
            int changeCount = in.getInt();
            requireCount(changeCount);
            List<Mutation> changes = new ArrayList<>();
            for (int change = 0; change < changeCount; change++) {
                changes.add(decodeChange(in));
            }
            operation.add(new TableMutations(tableId, changes));
        }
        if (in.hasRemaining()) {
            throw new IllegalArgumentException(in.remaining() + " bytes lie behind the last change");
        }
        return operation;
    }

    private static void requireCount(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("a count is " + count);
        }
    }

    private static Mutation decodeChange(ByteBuffer in) {
        byte kind = in.get();
        byte flags = in.get();
        byte[] key = new byte[in.getShort() & 0xFFFF];
        int valueLength = in.getInt();
        if (flags != 0 || (kind != INLINE && kind != TOMBSTONE)) {
            throw new IllegalArgumentException(
                    "entry kind " + kind + " with flags " + flags + " is not known to this version");
        }
        in.get(key);
        if (valueLength < 0 || valueLength > in.remaining()) {
            throw new IllegalArgumentException(
                    "a value has " + valueLength + " bytes, and " + in.remaining() + " are left");
        }
        byte[] value = new byte[valueLength];
        in.get(value);
        return kind == INLINE ? new Mutation.Put(key, value) : new Mutation.Remove(key);
    }
}
