package io.kvstore.cli.transfer;

import io.kvstore.cli.console.Aftermath;
import io.kvstore.client.ClientBatch;
import io.kvstore.client.KVClient;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.TooLargeException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Puts entries into a table in batches, each as a whole or not at all. While a batch is written by a thread of its own, the
 * entries of the next one are taken, so two batches are in memory. A batch is written when the one before it is stored, so if
 * one fails, none after it was begun. A long value is put by itself, because a table may take longer values than a batch has
 * room for. It is waited for at once: memory has to do for one of them.
 */
final class Batches implements AutoCloseable {

    private static final int MOST_ENTRIES = 10_000;
    private static final int MOST_BYTES = 1 << 20;

    private final KVClient client;
    private final String database;
    private final String table;
    private final int mostEntries;
    private final CallThread writes = new CallThread("kvstore-store");
    private Filling filling;
    private @Nullable Write write;
    private long stored;
    private long storedBytes;

    /** A batch that takes entries. */
    private static final class Filling {

        private final ClientBatch batch;
        private long bytes;

        Filling(String database) {
            this.batch = ClientBatch.in(database);
        }

        int entries() {
            return batch.changes().size();
        }
    }

    /** A batch that is being written. */
    private record Write(int entries, long bytes, Future<Long> call) {}

    Batches(KVClient client, ServerDescription server, String database, String table) {
        this.client = client;
        this.database = database;
        this.table = table;
        this.mostEntries = Math.min(MOST_ENTRIES, server.maxItems());
        this.filling = new Filling(database);
    }

    void put(byte[] key, byte[] value) {
        long bytes = (long) key.length + value.length;
        if (bytes > MOST_BYTES) {
            putAlone(key, value, bytes);
            return;
        }
        if (filling.entries() == mostEntries || filling.bytes + bytes > MOST_BYTES) {
            begin();
        }
        filling.batch.put(table, key, value);
        filling.bytes += bytes;
    }

    private void putAlone(byte[] key, byte[] value, long bytes) {
        finish();
        write = new Write(1, bytes, writes.begin(() -> {
            client.table(database, table).put(key, value);
            return 0L;
        }));
        try {
            settle();
        } catch (TooLargeException e) {
            throw Aftermath.told(
                    e, " (MAX_VALUE_BYTES of the table, or the server, sets it; raise it, or leave the entry out)");
        }
    }

    /** Begins to write the entries that were taken, when the batch before them is stored. */
    private void begin() {
        settle();
        if (filling.entries() > 0) {
            Filling filled = filling;
            write = new Write(filled.entries(), filled.bytes, writes.begin(() -> client.write(filled.batch)));
            filling = new Filling(database);
        }
    }

    /** Waits for the batch that is being written. If it failed, throws its failure, once. */
    void settle() {
        Write ended = write;
        if (ended == null) {
            return;
        }
        write = null;
        await(ended.call());
        stored += ended.entries();
        storedBytes += ended.bytes();
    }

    /** A call has its own time limit. So an interrupt waits for its end, as if this thread had made the call. */
    private static void await(Future<Long> call) {
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    long _ = call.get();
                    return;
                } catch (InterruptedException _) {
                    isInterrupted = true;
                } catch (ExecutionException e) {
                    throw CallThread.failure(e);
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Stores the entries that were put and are not stored yet. */
    void finish() {
        begin();
        settle();
    }

    /**
     * Forgets the entries that are not stored. If a batch is being written, waits for its end: nothing may be written any more
     * when the caller undoes its work or closes the store. Whether that batch is stored makes no difference then.
     */
    @Override
    public void close() {
        try {
            settle();
        } catch (KVClientException _) {
            // the entries of this batch are to be forgotten, too
        } finally {
            writes.close();
        }
    }

    /** How many entries were put. */
    long taken() {
        return stored + (write == null ? 0 : write.entries()) + filling.entries();
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
