package io.kvstore.lsm.sstable;

/**
 * How an SSTable is written.
 *
 * @param tableId the table it belongs to
 * @param maxEntriesPerBlock the most entries of a block
 * @param blockBytes a block ends when it holds this many bytes
 * @param falsePositiveRate of the filter, between 0 and 1
 */
public record SsTableOptions(int tableId, int maxEntriesPerBlock, int blockBytes, double falsePositiveRate) {}
