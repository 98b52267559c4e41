package io.kvstore.views;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keys in their order. How many come is not said, because counting a table is a walk of its own. */
final class KeySpliterator<K> extends AbstractSpliterator<K> {

    /** What holds for every walk over a map. */
    static final int ALWAYS = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.CONCURRENT;

    private final Iterator<K> keys;
    private final @Nullable Comparator<? super K> order;

    KeySpliterator(Iterator<K> keys, @Nullable Comparator<? super K> order) {
        super(Long.MAX_VALUE, ALWAYS | Spliterator.DISTINCT | Spliterator.SORTED);
        this.keys = keys;
        this.order = order;
    }

    @Override
    public boolean tryAdvance(Consumer<? super K> action) {
        if (!keys.hasNext()) {
            return false;
        }
        action.accept(keys.next());
        return true;
    }

    @Override
    public @Nullable Comparator<? super K> getComparator() {
        return order;
    }
}
