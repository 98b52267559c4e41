package io.kvstore.views;

import io.kvstore.data.Entry;
import java.util.Iterator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a program gets to walk over keys, values or entries. Removes by key, whatever the value is by then. */
final class EntryIterator<T> implements Iterator<T> {

    private final EntrySource source;
    private final EntryPages pages;
    private final Function<Entry, T> reading;
    private byte @Nullable [] returned;

    /** @param reading makes of an entry what is returned; if it throws, the entry is passed over */
    EntryIterator(EntrySource source, EntryPages pages, Function<Entry, T> reading) {
        this.source = source;
        this.pages = pages;
        this.reading = reading;
    }

    @Override
    public boolean hasNext() {
        return pages.hasNext();
    }

    @Override
    public T next() {
        if (pages.hasNext()) {
            returned = null; // also if the next one cannot be read
        }
        Entry entry = pages.next();
        T element = reading.apply(entry);
        returned = entry.key();
        return element;
    }

    @Override
    public void remove() {
        byte[] key = returned;
        if (key == null) {
            throw new IllegalStateException("there is no element to remove: call next first, and remove once");
        }
        source.changeable().remove(key);
        returned = null;
    }
}
