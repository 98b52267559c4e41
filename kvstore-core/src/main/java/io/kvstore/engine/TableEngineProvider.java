package io.kvstore.engine;

import io.kvstore.data.TableParameter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tables of one engine. A provider is registered in {@code META-INF/services/io.kvstore.engine.TableEngineProvider}.
 * It is stateless and safe for use by several threads.
 */
public interface TableEngineProvider {

    /** The engine's name in capitals, such as {@code LSM}. Unique on the class path; the catalog keeps it for ever. */
    String name();

    /** The parameters of this engine's tables, in addition to those that every table has. */
    List<TableParameter> parameters();

    /** Defaults, by name, that depend on the given parameters. They are for parameters of any kind that were not given. */
    default Map<String, String> defaultsBeside(Map<String, String> given) {
        return Map.of();
    }

    /**
     * Defaults, by name, for a table of a store in memory.
     *
     * @param memoryBytes the memory of all tables of the store, without their files
     */
    default Map<String, String> defaultsInMemory(long memoryBytes) {
        return Map.of();
    }

    /**
     * Whether the tables keep their entries in the order of keys. Others have a total order of their own, which is the same as
     * long as the table lives: see {@link TableEngine#scan}.
     */
    default boolean isOrdered() {
        return true;
    }

    /**
     * The format of the files each of which is a whole table of this engine. Null if the engine has no such files. Tables of an
     * engine that has them take no writes: they get other contents with another file.
     */
    default @Nullable TableFileFormat files() {
        return null;
    }

    /**
     * Opens a table in a directory that exists. In an empty directory the table is new and empty. Otherwise the table is
     * recovered up to {@link TableEngine#durableLsn()}.
     *
     * @throws io.kvstore.error.CorruptionException if the table's files are damaged
     * @throws io.kvstore.error.InvalidRequestException if the properties name something that is not on the class path
     */
    TableEngine open(TableContext context) throws IOException;

    /**
     * Opens a table whose files {@link #open} refuses, to read what is whole of them. Nothing is written.
     *
     * @param checkpointLsn files of the table had all of its operations up to here, as the catalog says
     * @param losses gets what is missing
     * @return null if nothing can be read, or if the engine does not know how
     */
    default @Nullable TableEngine openDamaged(TableContext context, long checkpointLsn, Findings losses)
            throws IOException {
        return null;
    }
}
