package io.kvstore.data;

import java.util.List;

/** The changes, in order, that one operation makes to one table. */
public record TableMutations(int tableId, List<Mutation> mutations) {}
