package io.kvstore.server;

import io.kvstore.KVStoreOptions;
import io.kvstore.server.edge.Access;
import io.kvstore.server.http.HttpConfig;
import io.kvstore.server.thrift.ThriftConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server.
 *
 * @param data the store's directory; null for a store in memory
 * @param backups the directory of the store's backups; null for none
 * @param store how the store is opened
 * @param http the address and the limits of the HTTP edge
 * @param thrift the address and the limits of the Thrift edge
 * @param access who may use the server
 * @param version the version of the software
 * @param stopMillis how long requests in flight may take once the server is asked to stop
 */
record ServerConfig(
        @Nullable Path data,
        @Nullable Path backups,
        KVStoreOptions store,
        HttpConfig http,
        ThriftConfig thrift,
        Access access,
        String version,
        long stopMillis) {}
