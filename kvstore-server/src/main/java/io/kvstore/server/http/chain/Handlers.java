package io.kvstore.server.http.chain;

import io.kvstore.server.http.endpoint.BackupHandlers;
import io.kvstore.server.http.endpoint.BatchHandlers;
import io.kvstore.server.http.endpoint.DatabaseHandlers;
import io.kvstore.server.http.endpoint.EntryHandlers;
import io.kvstore.server.http.endpoint.FileHandlers;
import io.kvstore.server.http.endpoint.ImportHandler;
import io.kvstore.server.http.endpoint.KeyHandlers;
import io.kvstore.server.http.endpoint.MergeHandlers;
import io.kvstore.server.http.endpoint.OperationHandlers;
import io.kvstore.server.http.endpoint.ServerHandlers;
import io.kvstore.server.http.endpoint.TableHandlers;

/** The endpoints, by subject. */
public record Handlers(
        ServerHandlers server,
        DatabaseHandlers databases,
        TableHandlers tables,
        KeyHandlers keys,
        MergeHandlers merges,
        EntryHandlers entries,
        BatchHandlers batches,
        ImportHandler imports,
        FileHandlers files,
        BackupHandlers backups,
        OperationHandlers operations) {}
