package io.kvstore.client.embedded;

import io.kvstore.Table;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.data.KeyRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The place at which a page of a scan ended. A checksum over the range of the scan shows whether a continuation belongs to it.
 *
 * <pre>
 *   sum u32 | table id u32 | last key
 * </pre>
 */
final class Continuation {

    private static final int KEY_AT = 2 * Integer.BYTES;

    private Continuation() {}

    /** @param tableId the table's id when the page was begun */
    static byte[] after(int tableId, KeyRange range, byte[] lastKey) {
        return ByteBuffer.allocate(KEY_AT + lastKey.length)
                .putInt(sum(tableId, range, lastKey))
                .putInt(tableId)
                .put(lastKey)
                .array();
    }

    /** The rest of a scan's range: the keys behind the last key of the page before, in the order of the scan. */
    static KeyRange rest(byte[] continuation, Table table, KeyRange range) {
        if (continuation.length < KEY_AT) {
            throw invalid();
        }
        int tableId = ByteBuffer.wrap(continuation).getInt(Integer.BYTES);
        byte[] lastKey = Arrays.copyOfRange(continuation, KEY_AT, continuation.length);
        if (ByteBuffer.wrap(continuation).getInt(0) != sum(tableId, range, lastKey)) {
            throw invalid();
        }
        if (tableId != table.id()) {
            throw dropped(table.name());
        }
        return range.after(lastKey);
    }

    static KVClientException dropped(String table) {
        return Failures.rejected(
                ErrorCode.TABLE_DROPPED,
                "the table \"" + table + "\" was dropped or truncated since the scan began: begin it anew");
    }

    private static KVClientException invalid() {
        return Failures.rejected(
                ErrorCode.CONTINUATION_INVALID, "the continuation is not one that was given for this scan");
    }

    private static int sum(int tableId, KeyRange range, byte[] lastKey) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(Integer.BYTES).putInt(tableId).flip());
        sum.update(range.reversed() ? 1 : 0);
        add(sum, range.lower(), range.lowerInclusive());
        add(sum, range.upper(), range.upperInclusive());
        sum.update(lastKey);
        return (int) sum.getValue();
    }

    private static void add(CRC32C sum, byte @Nullable [] bound, boolean inclusive) {
        int length = bound == null ? -1 : bound.length;
        sum.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
        sum.update(inclusive ? 1 : 0);
        if (bound != null) {
            sum.update(bound);
        }
    }
}
