package io.kvstore.bench.store;

import java.nio.file.Path;

/**
 * How a contender is opened.
 *
 * @param directory an empty directory
 * @param logging what a put survives
 * @param budgetBytes memory for caches, page buffers and memtables together
 * @param inline whether values stay with their keys
 * @param shape how entries look
 */
public record StoreSetup(Path directory, Logging logging, long budgetBytes, boolean inline, Shape shape) {}
