package io.kvstore;

import io.kvstore.data.Entry;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A cursor as a stream; closing the stream closes the cursor. */
final class EntryStream extends Spliterators.AbstractSpliterator<Entry> {

    private final Cursor cursor;

    private EntryStream(Cursor cursor) {
        super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.DISTINCT);
        this.cursor = cursor;
    }

    static Stream<Entry> of(Cursor cursor) {
        return StreamSupport.stream(new EntryStream(cursor), false).onClose(cursor::close);
    }

    @Override
    public boolean tryAdvance(Consumer<? super Entry> action) {
        if (!cursor.next()) {
            return false;
        }
        action.accept(new Entry(cursor.key(), cursor.value()));
        return true;
    }
}
