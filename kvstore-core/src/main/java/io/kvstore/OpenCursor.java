package io.kvstore;

import io.kvstore.data.EntryVisitor;
import io.kvstore.durability.TableCursor;

/** The cursor that users of the API get. */
record OpenCursor(TableCursor entries) implements Cursor {

    @Override
    public boolean next() {
        return entries.next();
    }

    @Override
    public byte[] key() {
        return entries.key();
    }

    @Override
    public byte[] value() {
        return entries.value();
    }

    @Override
    public void visit(EntryVisitor visitor) {
        entries.visit(visitor);
    }

    @Override
    public void close() {
        entries.close();
    }
}
