package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.lsm.entry.KeyBuffer;
import java.util.Arrays;

/**
 * Collects the entries of one data block. An entry consists of the number of bytes that its key shares with the previous
 * key (varint), the number of the key's other bytes (varint), the length of the value (varint), the kind (u8), the lsn
 * (varint), the other bytes of the key, and the value. Every 16th entry shares nothing. The offsets of these restarts (u32
 * each) and their number (u32) follow the last entry.
 */
final class DataBlockWriter {

    private static final int KEPT_BYTES = 1 << 20;
    private static final int MAX_ENTRY_OVERHEAD = 32;

    private final KeyBuffer lastKey = new KeyBuffer();
    private ByteWriter out = new ByteWriter(8 << 10);
    private int[] restarts = new int[16];
    private int restartCount;
    private int entries;

    DataBlockWriter() {
        clear();
    }

    void clear() {
        if (out.size() > KEPT_BYTES) {
            out = new ByteWriter(8 << 10);
        }
        out.cut(0);
        out.u64(0).u32(0);
        restartCount = 0;
        entries = 0;
    }

    void add(KeyBuffer key, long lsn, int kind, Slice value) {
        int valueLength = value.length();
        if (entries == 0 && valueLength > KEPT_BYTES) {
            out = new ByteWriter(SsTableFormat.FRAME_BYTES + key.length() + valueLength + MAX_ENTRY_OVERHEAD);
            clear();
        }
        int shared = 0;
        if (entries % SsTableFormat.RESTART_INTERVAL == 0) {
            restart();
        } else {
            int most = Math.min(lastKey.length(), key.length());
            int mismatch = Arrays.mismatch(lastKey.array(), 0, most, key.array(), 0, most);
            shared = mismatch < 0 ? most : mismatch;
        }
        out.varint(shared).varint(key.length() - shared).varint(valueLength);
        out.u8(kind).varint(lsn);
        out.raw(key.array(), shared, key.length() - shared);
        out.raw(value.array(), value.offset(), valueLength);
        lastKey.set(key);
        entries++;
    }

    private void restart() {
        if (restartCount == restarts.length) {
            restarts = Arrays.copyOf(restarts, 2 * restartCount);
        }
        restarts[restartCount++] = out.size() - SsTableFormat.FRAME_BYTES;
    }

    KeyBuffer lastKey() {
        return lastKey;
    }

    int entries() {
        return entries;
    }

    int payloadBytes() {
        return out.size() - SsTableFormat.FRAME_BYTES;
    }

    /** Ends the block. The returned writer holds frame and payload until {@link #clear}. */
    ByteWriter finish() {
        for (int i = 0; i < restartCount; i++) {
            out.u32(restarts[i]);
        }
        return out.u32(restartCount);
    }
}
