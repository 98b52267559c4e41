package io.kvstore.sealed.read;

import io.kvstore.data.KeyHead;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.error.CorruptionException;
import java.io.IOException;

/** Blocks of as many records each, in the order of keys. Nothing of them is in the file but the slots of their records. */
final class PointFences implements Fences {

    private final PointRecords records;
    private final long entries;

    /** How many bytes all keys have in common. */
    private final int common;

    PointFences(PointRecords records, TableFileInfo info) {
        this.records = records;
        this.entries = info.entries();
        this.common = KeySearch.commonBytes(info.firstKey(), info.lastKey());
    }

    @Override
    public long count() {
        return (entries + PointRecords.BLOCK_RECORDS - 1) / PointRecords.BLOCK_RECORDS;
    }

    @Override
    public long head(long block) throws IOException {
        byte[] record = records.read(records.slotAt(ordinal(block)));
        return KeyHead.of(record, common, Math.max(common, records.keyBytes()));
    }

    @Override
    public long place(long block) {
        return records.orderOffset(ordinal(block));
    }

    @Override
    public long ordinal(long block) {
        return Math.min(entries, block * PointRecords.BLOCK_RECORDS);
    }

    @Override
    public long blockOf(long ordinal) {
        return ordinal / PointRecords.BLOCK_RECORDS;
    }

    @Override
    public CorruptionException withoutRecord(long block, long ordinal) {
        return records.withoutRecord(ordinal);
    }
}
