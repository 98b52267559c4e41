package io.kvstore.cli.transfer;

import io.kvstore.client.ClientBatch;
import io.kvstore.client.KVClient;
import io.kvstore.client.ServerDescription;

/** Puts entries into a table in batches, each as a whole or not at all. */
final class Batches implements EntrySink {

    private static final int MOST_ENTRIES = 1_000;
    private static final int MOST_BYTES = 1 << 20;

    private final KVClient client;
    private final String database;
    private final String table;
    private final int mostEntries;
    private ClientBatch batch;
    private int batchBytes;
    private long stored;
    private long storedBytes;

    Batches(KVClient client, ServerDescription server, String database, String table) {
        this.client = client;
        this.database = database;
        this.table = table;
        this.mostEntries = Math.min(MOST_ENTRIES, server.maxItems());
        this.batch = ClientBatch.in(database);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        long bytes = (long) key.length + value.length;
        if (batch.changes().size() == mostEntries || batchBytes + bytes > MOST_BYTES) {
            finish();
        }
        batch.put(table, key, value);
        batchBytes += (int) bytes;
    }

    @Override
    public void finish() {
        client.write(batch);
        stored += batch.changes().size();
        storedBytes += batchBytes;
        close();
    }

    @Override
    public void close() {
        batch = ClientBatch.in(database);
        batchBytes = 0;
    }

    /** How many entries were put. */
    long taken() {
        return stored + batch.changes().size();
    }

    /** How many entries are stored. */
    long stored() {
        return stored;
    }

    /** The bytes of the keys and values that are stored. */
    long storedBytes() {
        return storedBytes;
    }
}
