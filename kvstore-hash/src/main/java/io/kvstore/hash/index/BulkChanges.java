package io.kvstore.hash.index;

import java.util.Arrays;

/**
 * Changes of an index that is filled from a file. Many are gathered, put in the order of their hashes, and then come into the
 * index page by page: a page comes from memory once for all its changes, and gets the size at once that it will have in the
 * end. Changes of one hash keep their order. For one thread, while nobody reads the index.
 */
public final class BulkChanges {

    private static final int LINE_WORDS = PageMemory.LINE_WORDS;
    private static final int NOWHERE = -1;
    static final long MOST_BYTES_A_KEY = 24;
    private static final int LEAST = 1 << 7;

    /** They take 10 MiB of heap while a table is opened. With more, a table of 5,000,000 keys is not opened much faster. */
    private static final int MOST = 1 << 18;

    /** Changes are ordered by twice this number of first bits, in two steps. More bits only tell entries of one page apart. */
    private static final int DIGIT_BITS = 11;

    private static final int DIGITS = 1 << DIGIT_BITS;

    private final Directory index;
    private final int[] starts = new int[DIGITS + 1];
    private Changes changes = new Changes(LEAST);
    private Changes sorted = new Changes(LEAST);
    private int most = LEAST;
    private int count;

    /** The page that is changed, and its words: they come from memory at once, and not line by line. */
    private Page page = Page.NONE;

    private final long[] words = new long[PageSizes.MOST_LINES * LINE_WORDS];
    private int reach;

    /** The first bits of the hashes, and the words that go and come, or 0. */
    private record Changes(int[] prefixes, long[] olds, long[] news) {
        Changes(int length) {
            this(new int[length], new long[length], new long[length]);
        }

        void copy(Changes from, int at, int to) {
            prefixes[to] = from.prefixes[at];
            olds[to] = from.olds[at];
            news[to] = from.news[at];
        }
    }

    public BulkChanges(Directory index) {
        this.index = index;
    }

    /**
     * Adds a change.
     *
     * @param prefix the first 32 bits of the hash
     * @param old a word that goes if it is there, or 0
     * @param added a word that comes if it is not there, or 0
     */
    public void add(int prefix, long old, long added) {
        changes.prefixes[count] = prefix;
        changes.olds[count] = old;
        changes.news[count] = added;
        count++;
    }

    /** Makes room for a change. Returns false if there is none before the next {@link #apply}. */
    public boolean tryMakeRoom() {
        return count < most || tryGrow();
    }

    private boolean tryGrow() {
        if (most == MOST) {
            return false;
        }
        try {
            Changes more = new Changes(2 * most);
            sorted = new Changes(2 * most);
            for (int i = 0; i < count; i++) {
                more.copy(changes, i, i);
            }
            changes = more;
            most *= 2;
            return true;
        } catch (OutOfMemoryError e) {
            return false; // with fewer at a time it takes longer
        }
    }

    /**
     * Brings all changes into the index. If there is no room, some may be missing.
     *
     * @param expected how many entries the index will have in the end
     */
    public Room apply(long expected) {
        sort(changes, sorted, Integer.SIZE - 2 * DIGIT_BITS);
        sort(sorted, changes, Integer.SIZE - DIGIT_BITS);
        Growth growth = index.growth();
        long soon = index.entries() + count;
        if (index.memory().hasRoom(MOST_BYTES_A_KEY * Math.max(expected, soon))) {
            growth.fillingTo(expected, soon); // else a page could take what another one needs more
        }
        try {
            Room room = Room.RESERVED;
            int at = 0;
            while (at < count && room == Room.RESERVED) {
                long hash = hash(at);
                long page = index.directory().get(hash);
                int end = endOfPage(at, PageWord.depth(page));
                room = makeRoom(at, end);
                while (room != Room.RESERVED && end - at > 1) { // as many as there is room for
                    end = at + (end - at) / 2;
                    room = makeRoom(at, end);
                }
                at = room == Room.RESERVED ? apply(at, end) : at;
            }
            count = 0;
            return room;
        } finally {
            growth.notFilling();
        }
    }

    private void sort(Changes from, Changes to, int shift) {
        Arrays.fill(starts, 0);
        for (int i = 0; i < count; i++) {
            starts[((from.prefixes[i] >>> shift) & (DIGITS - 1)) + 1]++;
        }
        for (int i = 0; i < DIGITS; i++) {
            starts[i + 1] += starts[i];
        }
        for (int i = 0; i < count; i++) {
            to.copy(from, i, starts[(from.prefixes[i] >>> shift) & (DIGITS - 1)]++);
        }
    }

    private long hash(int at) {
        return (long) changes.prefixes[at] << Integer.SIZE;
    }

    /** Behind the last of the changes that follow for the page. */
    private int endOfPage(int first, int depth) {
        int end = first + 1;
        int shift = Integer.SIZE - depth;
        long prefix = Integer.toUnsignedLong(changes.prefixes[first]) >>> shift;
        while (end < count && Integer.toUnsignedLong(changes.prefixes[end]) >>> shift == prefix) {
            end++;
        }
        return end;
    }

    /**
     * Makes room in the page of the first of some changes. That page may have only some of them afterwards. A word that comes
     * in the place of another one is thought to find that one, or a page that is changed often would become too large. Where
     * it does not, the page may be full before all changes are made.
     */
    private Room makeRoom(int from, int to) {
        int comes = 0;
        for (int i = from; i < to; i++) {
            comes += needsRoom(from, i) ? 1 : 0;
        }
        if (comes == 0 || index.hasWords(hash(from), comes)) {
            return Room.RESERVED;
        }
        long[] hashes = new long[comes];
        int next = 0;
        for (int i = from; i < to; i++) {
            if (needsRoom(from, i)) {
                hashes[next++] = EntryWord.hash(changes.prefixes[i], changes.news[i]);
            }
        }
        return index.makeRoom(hashes, comes);
    }

    private boolean needsRoom(int first, int at) {
        return changes.news[at] != 0 && (changes.olds[at] == 0 || at == first);
    }

    /** Makes changes of a page. Returns the first that is left, because the page was replaced or is full. */
    private int apply(int from, int to) {
        long pageWord = index.directory().get(hash(from));
        int end = Math.min(to, endOfPage(from, PageWord.depth(pageWord)));
        page = Page.at(index.memory(), pageWord);
        page.readWords(words);
        reach = PageWord.reach(pageWord);
        int at = from;
        while (at < end) {
            Outcome outcome = apply(changes.prefixes[at], changes.olds[at], changes.news[at]);
            at += outcome == Outcome.FULL ? 0 : 1;
            if (outcome != Outcome.MADE) {
                return at;
            }
        }
        return at;
    }

    /** What became of a change. */
    private enum Outcome {
        MADE,
        /** It is made, and the page was replaced. */
        REPLACED,
        /** It is not made, because the page has no free word. */
        FULL
    }

    private Outcome apply(int prefix, long old, long added) {
        int home = page.home(prefix);
        int gone = old == 0 ? NOWHERE : find(home, old);
        if (added == 0 || find(home, added) != NOWHERE) {
            if (gone != NOWHERE) {
                index.free(page, gone, EntryWord.hash(prefix, old));
                words[gone] &= EntryWord.SPILL;
            }
            return Outcome.MADE;
        }
        if (gone != NOWHERE) { // of the same hash
            page.setWord(gone, added);
            words[gone] = added | (words[gone] & EntryWord.SPILL);
            return Outcome.MADE;
        }
        long hash = EntryWord.hash(prefix, added);
        int free = free(home);
        if (free == NOWHERE) {
            if (!index.hasWords(hash, 1)) {
                return Outcome.FULL;
            }
            index.insertInFullPage(hash, EntryWord.place(added));
            return Outcome.REPLACED;
        }
        index.put(page, free, hash, EntryWord.place(added));
        words[free] = added | (words[free] & EntryWord.SPILL);
        for (int line = home; line != free / LINE_WORDS; line = page.next(line)) {
            words[line * LINE_WORDS] |= EntryWord.SPILL;
        }
        return Outcome.MADE;
    }

    private int find(int home, long wanted) {
        int line = home;
        for (int i = 0; i < reach; i++) {
            int first = line * LINE_WORDS;
            for (int at = first; at < first + LINE_WORDS; at++) {
                if (EntryWord.isSame(words[at], wanted)) {
                    return at;
                }
            }
            if (!EntryWord.isSpill(words[first])) {
                return NOWHERE;
            }
            line = page.next(line);
        }
        return NOWHERE;
    }

    private int free(int home) {
        int line = home;
        for (int i = 0; i < reach; i++) {
            int first = line * LINE_WORDS;
            for (int at = first; at < first + LINE_WORDS; at++) {
                if (EntryWord.isFree(words[at])) {
                    return at;
                }
            }
            line = page.next(line);
        }
        return NOWHERE;
    }
}
