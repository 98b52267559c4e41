package io.kvstore.server.http;

/** The endpoints, by subject. */
record Handlers(
        ServerHandlers server,
        DatabaseHandlers databases,
        TableHandlers tables,
        KeyHandlers keys,
        EntryHandlers entries,
        BatchHandlers batches,
        ImportHandler imports) {}
