package io.kvstore.views;

import io.kvstore.Cursor;
import io.kvstore.data.Entry;
import io.kvstore.data.EntryVisitor;
import io.kvstore.data.KeyRange;
import io.kvstore.error.CorruptionException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a range, read page by page. Each page is a short scan that begins behind the last entry of the page before,
 * and is over before the page is used. So nothing is open in between: an iterator that is left alone keeps nothing but its
 * page.
 *
 * <p>Entries of one page are of one moment. A later page is of a later moment. Each key comes at most once, and in order. A
 * page that is not full ends the walk, because nothing was behind it at its moment.
 *
 * <p>A value that is damaged is thrown once, and the walk goes on behind its key. Where keys are damaged too, nobody knows the
 * next one, so the walk ends after this was thrown. Any other failure leaves the walk where it is: the next call tries again.
 */
final class EntryPages implements Iterator<Entry> {

    /** The first page: few entries, because many walks end soon. */
    static final int FIRST_ENTRIES = 16;

    /** The largest page. */
    static final int MOST_ENTRIES = 1_024;

    private static final int GROWTH = 4;

    /** A page also ends with the entry that takes it to this size, so that pages of long values are short. */
    static final int PAGE_BYTES = 1 << 20;

    private final Function<KeyRange, Cursor> scans;
    private final Queue<Entry> page = new ArrayDeque<>(FIRST_ENTRIES);

    /** Begins behind the last entry of the newest page. */
    private KeyRange left;

    private int entriesOfNext = FIRST_ENTRIES;
    private boolean ended;

    /** Of the entry that comes next, if it cannot be read. Then the page is empty. */
    private @Nullable CorruptionException damage;

    /** @param scans gives the entries of a range as they are at that moment; each cursor is closed here */
    EntryPages(Function<KeyRange, Cursor> scans, KeyRange range) {
        this.scans = scans;
        this.left = range;
    }

    @Override
    public boolean hasNext() {
        while (page.isEmpty() && damage == null && !ended) {
            read();
        }
        return !page.isEmpty() || damage != null;
    }

    @Override
    public Entry next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the last entry was passed");
        }
        CorruptionException found = damage;
        if (found != null) {
            damage = null;
            throw found;
        }
        return page.remove();
    }

    /** Reads a page. It ends before an entry that is damaged, so such an entry is the first of its page. */
    private void read() {
        Page next = new Page(entriesOfNext);
        try (Cursor cursor = scans.apply(left.limit(entriesOfNext))) {
            cursor.visit(next);
            ended = !next.isFull();
        } catch (CorruptionException e) {
            if (next.entries.isEmpty()) {
                readFirst(e);
                return;
            }
        }
        if (!next.entries.isEmpty()) {
            take(next);
            entriesOfNext = Math.min(entriesOfNext * GROWTH, MOST_ENTRIES);
        }
    }

    private void take(Page read) {
        page.addAll(read.entries);
        left = KeyWindow.rest(left, read.entries.getLast().key());
    }

    /**
     * Reads the first key that is left, and then its entry alone. Other threads may have removed the damaged entry since it was
     * found, or put another one before it. So a key is passed over only if its own entry is damaged. The walk ends where the
     * key is damaged, too.
     *
     * @param found the damage that ended the page before its first entry
     */
    private void readFirst(CorruptionException found) {
        byte[] first;
        try (Cursor cursor = scans.apply(left.limit(1).withoutValues())) {
            if (!cursor.next()) {
                ended = true;
                return;
            }
            first = cursor.key();
        } catch (CorruptionException e) {
            ended = true;
            damage = found;
            return;
        }
        Page alone = new Page(1);
        try (Cursor cursor = scans.apply(left.from(first, true).to(first, true))) {
            cursor.visit(alone);
        } catch (CorruptionException e) {
            damage = e;
            left = KeyWindow.rest(left, first);
            return;
        }
        if (!alone.entries.isEmpty()) {
            take(alone);
        }
    }

    /** Takes entries until it is full. */
    private static final class Page implements EntryVisitor {
        private final List<Entry> entries = new ArrayList<>();
        private final int mostEntries;
        private long bytes;

        Page(int mostEntries) {
            this.mostEntries = mostEntries;
        }

        boolean isFull() {
            return entries.size() == mostEntries || bytes >= PAGE_BYTES;
        }

        @Override
        public boolean visit(byte[] key, ByteBuffer value) {
            byte[] copy = new byte[value.remaining()];
            value.get(value.position(), copy);
            entries.add(new Entry(key, copy));
            bytes += key.length + copy.length;
            return !isFull();
        }
    }
}
