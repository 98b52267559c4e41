package io.kvstore.engine;

import io.kvstore.data.TableParameter;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Makes the tables of one engine. Registered in {@code META-INF/services/io.kvstore.engine.TableEngineProvider}; stateless
 * and safe for use by several threads.
 */
public interface TableEngineProvider {

    /** The engine's name in capitals, such as {@code LSM}; unique on the class path and kept in the catalog for ever. */
    String name();

    /** The parameters of this engine's tables, beside those that every table has. */
    List<TableParameter> parameters();

    /** Defaults that depend on what was given, by name, for parameters of any kind that were not given. */
    default Map<String, String> defaultsBeside(Map<String, String> given) {
        return Map.of();
    }

    /**
     * Opens a table in a directory that exists: an empty one makes an empty table, any other is recovered up to
     * {@link TableEngine#durableLsn()}.
     *
     * @throws io.kvstore.error.CorruptionException if the table's files are damaged
     * @throws io.kvstore.error.InvalidRequestException if something the properties name is not on the class path
     */
    TableEngine open(TableContext context) throws IOException;
}
