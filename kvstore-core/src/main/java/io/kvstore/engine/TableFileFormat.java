package io.kvstore.engine;

import io.kvstore.io.Storage;
import java.io.IOException;

/**
 * A format of files each of which is a whole table: built once, valid without a store, and never changed. An engine that has
 * such files gives its format by {@link TableEngineProvider#files}. Stateless and safe for use by several threads.
 */
public interface TableFileFormat {

    /** The first 8 bytes of each file, as ASCII characters. */
    String magic();

    /** The name of a file in the directory of a table whose contents it is. */
    String fileName();

    /**
     * Begins a file. Until it is finished it has another name, and a file that has this name stays there if the process dies.
     *
     * @param path the file's name when it is finished; a file that has this name is replaced then, in one step
     * @throws io.kvstore.error.InvalidRequestException if the settings name something that is not on the class path
     */
    TableFileWriter create(Storage storage, String path, TableFileSettings settings) throws IOException;

    /**
     * Opens a finished file, and checks the parts that describe it.
     *
     * @throws io.kvstore.error.CorruptionException if the file is damaged, is cut off, or is of another format
     */
    TableFileReader open(Storage storage, String path) throws IOException;

    /**
     * Makes a file the contents of a new table, before the table is opened. All bytes of the file are checked and made durable.
     *
     * @param context of the table, whose directory has the file by its {@link #fileName}, and nothing else
     * @param requireGoing throws what the call is to throw, if it is to end; run between short steps; takes no time
     * @return the facts that the file states about itself
     * @throws io.kvstore.error.CorruptionException if the file is damaged, is cut off, or is of another format
     */
    TableFileInfo install(TableContext context, Runnable requireGoing) throws IOException;
}
