package io.kvstore.client;

import java.util.Map;

/**
 * What a table is.
 *
 * @param database the database's name
 * @param table the table's name
 * @param id the table's id; a truncate gives it a new one
 * @param engine "bplus" or "lsm"
 * @param options every parameter with its value
 */
public record TableDescription(String database, String table, int id, String engine, Map<String, String> options) {}
