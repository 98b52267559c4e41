package io.kvstore.lsm.sstable;

import io.kvstore.engine.BlockCodec;
import org.jspecify.annotations.Nullable;

/**
 * The options with which an SSTable is written.
 *
 * @param tableId the table to which it belongs
 * @param maxEntriesPerBlock the most entries of a block
 * @param blockBytes a block ends when it holds this many bytes
 * @param falsePositiveRate of the filter, between 0 and 1
 * @param codec compresses blocks of data, or null
 */
public record SsTableOptions(
        int tableId,
        int maxEntriesPerBlock,
        int blockBytes,
        double falsePositiveRate,
        @Nullable BlockCodec codec) {}
