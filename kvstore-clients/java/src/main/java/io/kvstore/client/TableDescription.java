package io.kvstore.client;

import java.util.Map;

/**
 * The id, the engine and the options of a table.
 *
 * @param database the database's name
 * @param table the table's name
 * @param id the table's id; a truncate gives it a new one
 * @param engine "bplus" or "lsm"
 * @param options the name and the value of every option
 */
public record TableDescription(String database, String table, int id, String engine, Map<String, String> options) {}
