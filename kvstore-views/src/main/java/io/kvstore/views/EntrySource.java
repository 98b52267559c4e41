package io.kvstore.views;

import io.kvstore.Cursor;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import org.jspecify.annotations.Nullable;

/** Where a map reads: a table as it is now, or as a snapshot sees it. */
sealed interface EntrySource {

    /** The table that is read. */
    Table table();

    /**
     * The table, to be changed.
     *
     * @throws UnsupportedOperationException if this is a moment that is over
     */
    Table changeable();

    byte @Nullable [] get(byte[] key);

    boolean contains(byte[] key);

    /** The entries of a range. The caller closes the cursor. */
    Cursor scan(KeyRange range);

    long count(KeyRange range);

    /** A table as it is now. */
    record Now(Table table) implements EntrySource {

        @Override
        public Table changeable() {
            return table;
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return table.get(key);
        }

        @Override
        public boolean contains(byte[] key) {
            return table.contains(key);
        }

        @Override
        public Cursor scan(KeyRange range) {
            return table.scan(range);
        }

        @Override
        public long count(KeyRange range) {
            return table.count(range);
        }
    }

    /** A table as a snapshot sees it. */
    record Then(Table table, Snapshot snapshot) implements EntrySource {

        @Override
        public Table changeable() {
            throw new UnsupportedOperationException(
                    "this map shows table " + table.name() + " as a snapshot sees it, and takes no changes");
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return snapshot.get(table, key);
        }

        @Override
        public boolean contains(byte[] key) {
            return snapshot.get(table, key) != null;
        }

        @Override
        public Cursor scan(KeyRange range) {
            return snapshot.scan(table, range);
        }

        @Override
        public long count(KeyRange range) {
            return snapshot.count(table, range);
        }
    }
}
