package io.kvstore.views;

import io.kvstore.Cursor;
import io.kvstore.data.Entry;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Entries of one moment, straight from a cursor. */
final class CursorSpliterator<K, V> extends AbstractSpliterator<Map.Entry<K, V>> {

    private final Coding<K, V> coding;
    private final Cursor cursor;

    private CursorSpliterator(Coding<K, V> coding, Cursor cursor) {
        super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.DISTINCT);
        this.coding = coding;
        this.cursor = cursor;
    }

    /** The entries of a range; closing the stream closes the cursor. */
    static <K, V> Stream<Map.Entry<K, V>> stream(EntryRange<K, V> range) {
        Cursor cursor = range.source().scan(range.window().range());
        return StreamSupport.stream(new CursorSpliterator<>(range.coding(), cursor), false)
                .onClose(cursor::close);
    }

    @Override
    public boolean tryAdvance(Consumer<? super Map.Entry<K, V>> action) {
        if (!cursor.next()) {
            return false;
        }
        action.accept(coding.entry(new Entry(cursor.key(), cursor.value())));
        return true;
    }
}
