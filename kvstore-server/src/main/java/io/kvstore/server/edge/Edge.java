package io.kvstore.server.edge;

import io.kvstore.KVStore;
import java.nio.file.Path;

/**
 * What the edges of one server have in common.
 *
 * @param store the open store
 * @param tables its databases and tables by name
 * @param lifecycle whether the server is stopping, and its long jobs
 * @param continuations where pages of scans ended
 * @param access who may use the server
 * @param version the version of the software
 */
public record Edge(
        KVStore store, Tables tables, Lifecycle lifecycle, Continuations continuations, Access access, String version) {

    /** Where a data directory keeps what belongs to the server and not to the store. */
    private static final String FOLDER = "server";

    /**
     * For a store that was opened in a directory.
     *
     * @param data the store's directory
     * @param longJobs streams, imports and maintenance that may run at a time, at all edges together
     */
    public static Edge of(KVStore store, Path data, Access access, String version, int longJobs) {
        return new Edge(
                store,
                new Tables(store),
                new Lifecycle(longJobs),
                Continuations.keptIn(data.resolve(FOLDER).resolve("continuations.key")),
                access,
                version);
    }
}
