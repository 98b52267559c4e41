package io.kvstore.bench.store;

import java.nio.file.Path;

/**
 * The settings with which a contender is opened.
 *
 * @param directory an empty directory
 * @param logging the crashes that a put survives
 * @param budgetBytes memory for caches, page buffers and memtables together
 * @param inline whether values stay with their keys
 * @param shape the form of entries
 * @param entries the most that it gets
 */
public record StoreSetup(
        Path directory, Logging logging, long budgetBytes, boolean inline, Shape shape, long entries) {}
