package io.kvstore.client;

import java.util.Map;

/**
 * The id, the engine and the options of a table.
 *
 * @param database the database's name
 * @param table the table's name
 * @param id the table's id; a truncate gives it a new one
 * @param engine "bplus", "hash" or "lsm"
 * @param ordered whether the table keeps its entries in the order of keys. Any other table has an order of its own: it refuses
 *     ranges with bounds or a prefix, and reversed scans
 * @param options the name and the value of every option
 */
public record TableDescription(
        String database, String table, int id, String engine, boolean ordered, Map<String, String> options) {}
