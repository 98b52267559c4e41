package io.kvstore.bench.store;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.GetOp;
import org.lmdbjava.Txn;

/** One thread in LMDB: a read transaction that is reset and renewed, and puts that wait for their transaction. */
final class LmdbSession implements Session {

    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> entries;
    private final int batch;
    private final int keyBytes;
    private final int valueBytes;
    private final ByteBuffer sought;
    private final ByteBuffer keys;
    private final ByteBuffer values;
    private int waiting;
    private int turns;
    private @Nullable Txn<ByteBuffer> writing;
    private @Nullable Txn<ByteBuffer> reading;
    private @Nullable Cursor<ByteBuffer> cursor;

    /** @param batch the number of puts of one transaction */
    LmdbSession(Env<ByteBuffer> env, Dbi<ByteBuffer> entries, Shape shape, int batch) {
        this.env = env;
        this.entries = entries;
        this.batch = batch;
        this.keyBytes = shape.keyBytes();
        this.valueBytes = shape.valueBytes();
        this.sought = ByteBuffer.allocateDirect(keyBytes);
        this.keys = ByteBuffer.allocateDirect(batch * keyBytes);
        this.values = ByteBuffer.allocateDirect(batch * valueBytes);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        keys.put(waiting * keyBytes, key);
        values.put(waiting * valueBytes, value);
        if (++waiting == batch) {
            commit();
        }
    }

    @Override
    public void remove(byte[] key) {
        if (waiting > 0) {
            commit();
        }
        try (Txn<ByteBuffer> transaction = env.txnWrite()) {
            entries.delete(transaction, sought.clear().put(key).flip());
            transaction.commit();
        }
    }

    /** Like puts, these are gathered into larger transactions. */
    @Override
    public byte[] turn(byte[] key, byte[] value) {
        Txn<ByteBuffer> transaction = writing;
        if (transaction == null) {
            transaction = env.txnWrite();
            writing = transaction;
            turns = 0;
        }
        entries.put(
                transaction,
                sought.clear().put(key).flip(),
                values.clear().put(value).flip());
        byte[] taken;
        try (Cursor<ByteBuffer> first = entries.openCursor(transaction)) {
            if (!first.first()) {
                throw new IllegalStateException("the store is empty");
            }
            taken = copy(first.key());
            copy(first.val());
            first.delete();
        }
        if (++turns == batch) {
            endTurns();
        }
        return taken;
    }

    private void endTurns() {
        Txn<ByteBuffer> transaction = writing;
        if (transaction != null) {
            writing = null;
            transaction.commit();
            transaction.close();
        }
    }

    private void commit() {
        try (Txn<ByteBuffer> transaction = env.txnWrite()) {
            for (int i = 0; i < waiting; i++) {
                keys.limit((i + 1) * keyBytes).position(i * keyBytes);
                values.limit((i + 1) * valueBytes).position(i * valueBytes);
                entries.put(transaction, keys, values);
            }
            transaction.commit();
        }
        keys.clear();
        values.clear();
        waiting = 0;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        Txn<ByteBuffer> transaction = renewed();
        try {
            ByteBuffer value = entries.get(transaction, sought.clear().put(key).flip());
            return value == null ? null : copy(value);
        } finally {
            transaction.reset();
        }
    }

    @Override
    public void scan(byte[] from, int limit, Visitor visitor) {
        Txn<ByteBuffer> transaction = renewed();
        try {
            Cursor<ByteBuffer> at = cursor;
            if (at == null) {
                at = entries.openCursor(transaction);
                cursor = at;
            } else {
                at.renew(transaction);
            }
            boolean found = at.get(sought.clear().put(from).flip(), GetOp.MDB_SET_RANGE);
            for (int left = limit; left > 0 && found; left--) {
                visitor.visit(copy(at.key()), copy(at.val()));
                found = at.next();
            }
        } finally {
            transaction.reset();
        }
    }

    private Txn<ByteBuffer> renewed() {
        Txn<ByteBuffer> transaction = reading;
        if (transaction == null) {
            transaction = env.txnRead();
            reading = transaction;
        } else {
            transaction.renew();
        }
        return transaction;
    }

    private static byte[] copy(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        endTurns();
        if (waiting > 0) {
            commit();
        }
        if (cursor != null) {
            cursor.close();
        }
        if (reading != null) {
            reading.close();
        }
    }
}
