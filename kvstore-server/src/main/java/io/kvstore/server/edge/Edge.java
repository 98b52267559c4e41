package io.kvstore.server.edge;

import io.kvstore.KVStore;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The objects that the edges of one server share.
 *
 * @param store the open store
 * @param tables its databases and tables by name
 * @param lifecycle whether the server is stopping, and its long jobs
 * @param continuations makes and checks the continuations of scans
 * @param access who may use the server
 * @param version the version of the software
 * @param backups the store's backups
 * @param jobs long operations that clients start and look at later
 */
public record Edge(
        KVStore store,
        Tables tables,
        Lifecycle lifecycle,
        Continuations continuations,
        Access access,
        String version,
        BackupDirectory backups,
        Jobs jobs) {

    /** The folder of a data directory for files of the server. The other files there belong to the store. */
    private static final String FOLDER = "server";

    /**
     * Creates the shared objects for an open store.
     *
     * @param data the store's directory; null for a store in memory, whose continuations end with the server
     * @param longJobs how many streams, imports and maintenance jobs may run at a time, at all edges together
     */
    public static Edge of(KVStore store, @Nullable Path data, Access access, String version, int longJobs) {
        Tables tables = new Tables(store);
        Lifecycle lifecycle = new Lifecycle(longJobs);
        BackupDirectory none = new BackupDirectory(store, null);
        return new Edge(
                store,
                tables,
                lifecycle,
                data == null
                        ? Continuations.untilTheEnd()
                        : Continuations.keptIn(data.resolve(FOLDER).resolve("continuations.key")),
                access,
                version,
                none,
                new Jobs(store, tables, lifecycle, none));
    }

    /**
     * These objects, with a directory for backups.
     *
     * @throws io.kvstore.error.InvalidRequestException if it is not apart from the directory of the store
     */
    public Edge withBackups(@Nullable Path directory) {
        if (directory != null) {
            BackupDirectory.check(store, directory);
        }
        BackupDirectory there = new BackupDirectory(store, directory);
        return new Edge(
                store,
                tables,
                lifecycle,
                continuations,
                access,
                version,
                there,
                new Jobs(store, tables, lifecycle, there));
    }
}
