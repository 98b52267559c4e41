package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.value.segment.ValuePointer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A forward walk over a list of entries, in the list's order. */
final class ListCursor implements EntryCursor {

    private final List<ListedEntry> entries;
    private final KeyBuffer key = new KeyBuffer();
    private int at;

    ListCursor(List<ListedEntry> entries) {
        this.entries = entries;
    }

    @Override
    public boolean seek(byte @Nullable [] bound, boolean inclusive) {
        if (bound != null) {
            throw new UnsupportedOperationException("from the first entry only");
        }
        at = -1;
        return advance();
    }

    @Override
    public boolean advance() {
        at++;
        if (at < entries.size()) {
            byte[] bytes = entries.get(at).key();
            key.set(bytes, 0, bytes.length);
        }
        return at < entries.size();
    }

    @Override
    public KeyBuffer key() {
        return key;
    }

    @Override
    public long lsn() {
        return entries.get(at).lsn();
    }

    @Override
    public int kind() {
        return entries.get(at).kind();
    }

    @Override
    public ValuePointer pointer() {
        byte[] value = entries.get(at).value();
        return ValuePointer.read(new ByteReader("list", value));
    }

    @Override
    public byte[] valueArray() {
        return entries.get(at).value();
    }

    @Override
    public int valueOffset() {
        return 0;
    }

    @Override
    public int valueLength() {
        return entries.get(at).value().length;
    }
}
