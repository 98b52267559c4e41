package io.kvstore.data;

import java.util.List;

/**
 * The changes that one operation makes to one table.
 *
 * @param tableId the table
 * @param mutations the changes, in order
 */
public record TableMutations(int tableId, List<Mutation> mutations) {}
