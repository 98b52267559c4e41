package io.kvstore.hash.index;

import io.kvstore.hash.index.DirectoryWords.Half;
import io.kvstore.hash.index.Layout.Part;

/**
 * Gives pages more lines, and splits them. A page gets more lines up to {@link PageSizes#SPLIT_LINES} and then becomes two. If
 * a split would not part its entries, or would make the directory much larger than the number of pages asks for, it gets more
 * lines up to {@link PageSizes#MOST_LINES}. That happens only if many hashes begin alike.
 *
 * <p>At an index of the directory the pair of depth and lines only ever increases. So no word comes back there, although memory
 * is used again.
 *
 * <p>All memory that a step needs is taken before anything is changed.
 */
final class Growth {

    /** A page that is filled at once gets this part of its entries as free words. */
    private static final int FILLING_PART = 3;

    private final DirectoryWords directory;
    private final PageMemory memory;
    private final Promises promises;
    private final Layout layout = new Layout();
    private long moved;
    private long spilled;

    /** Whether the index is being filled. Then a page gets the size at once that single inserts would lead to. */
    private boolean isFilling;

    Growth(DirectoryWords directory, PageMemory memory, Promises promises) {
        this.directory = directory;
        this.memory = memory;
        this.promises = promises;
    }

    void filling(boolean now) {
        isFilling = now;
    }

    /** Grows the page of a hash until it has a word for each promise. */
    Room makeRoom(long hash) {
        Room room = Room.RESERVED;
        while (room == Room.RESERVED && wanted(hash) > words(directory.get(hash))) {
            room = step(hash);
        }
        return room;
    }

    /** Grows the page of a hash by one step, if there is memory for that. */
    boolean tryGrow(long hash) {
        return step(hash) == Room.RESERVED;
    }

    /** Entries that lie behind their home lines. */
    long spilled() {
        return spilled;
    }

    void addToSpilled(int change) {
        spilled += change;
    }

    long moved() {
        return moved;
    }

    private static int words(long pageWord) {
        return PageWord.lines(pageWord) * PageMemory.LINE_WORDS;
    }

    private int wanted(long hash) {
        long word = directory.get(hash);
        int entries =
                directory.count(hash) + promises.countIn(PageWord.firstHash(word, hash), PageWord.lastHash(word, hash));
        return isFilling ? entries + entries / FILLING_PART : entries;
    }

    private Room step(long hash) {
        try {
            long word = directory.get(hash);
            Page old = Page.at(memory, word);
            int least = Math.max(old.lines() + 1, Math.ceilDiv(wanted(hash), PageMemory.LINE_WORDS));
            int lines = layout.size(old, Part.ALL, old.depth(), least, PageSizes.SPLIT_LINES);
            if (lines > 0) {
                return resize(hash, old, lines);
            }
            if (directory.maySplit(old.depth()) && isParted(hash, old)) {
                return split(hash, old);
            }
            return least > PageSizes.MOST_LINES
                    ? Room.TOO_MANY_OF_ONE_HASH
                    : resize(hash, old, PageSizes.atLeast(least));
        } catch (OutOfMemoryError e) {
            return Room.NO_MEMORY;
        }
    }

    /** Whether a page has, or is to get, entries with different prefixes. */
    private boolean isParted(long hash, Page old) {
        long word = directory.get(hash);
        long first = PageWord.firstHash(word, hash);
        long last = PageWord.lastHash(word, hash);
        int some = (int) (hash >>> Integer.SIZE);
        if (promises.countIn(first, last) > 0) {
            some = (int) (promises.firstIn(first) >>> Integer.SIZE);
            if (some != (int) (promises.lastIn(last) >>> Integer.SIZE)) {
                return true;
            }
        }
        for (int i = 0; i < old.words(); i++) {
            if (!EntryWord.isFree(old.word(i)) && old.prefix(i) != some) {
                return true;
            }
        }
        return false;
    }

    private Room resize(long hash, Page old, int lines) {
        long address = memory.take(lines);
        if (address < 0) {
            return Room.NO_MEMORY;
        }
        long oldWord = directory.get(hash);
        boolean done = false;
        try {
            Half whole = copy(old, Part.ALL, PageWord.of(address, lines, old.depth()));
            spilled += whole.spilled() - spilledIn(old);
            directory.set(hash, whole.word());
            done = true;
        } finally {
            give(done ? oldWord : PageWord.of(address, lines, 0));
        }
        return Room.RESERVED;
    }

    private Room split(long hash, Page old) {
        long oldWord = directory.get(hash);
        long middle = PageWord.firstHash(oldWord, hash) | (Long.MIN_VALUE >>> old.depth());
        int lowLines = half(old, Part.LOW, promises.countIn(PageWord.firstHash(oldWord, hash), middle - 1));
        int highLines = half(old, Part.HIGH, promises.countIn(middle, PageWord.lastHash(oldWord, hash)));
        DirectoryWords.Doubled doubled = directory.prepareSplit(old.depth());
        long low = memory.take(lowLines);
        if (low < 0) {
            return Room.NO_MEMORY;
        }
        long high = -1;
        boolean done = false;
        try {
            high = memory.take(highLines);
            if (high >= 0) {
                Half lowHalf = copy(old, Part.LOW, PageWord.of(low, lowLines, old.depth() + 1));
                Half highHalf = copy(old, Part.HIGH, PageWord.of(high, highLines, old.depth() + 1));
                spilled += lowHalf.spilled() + highHalf.spilled() - spilledIn(old);
                directory.split(hash, doubled, lowHalf, highHalf);
                done = true;
            }
        } finally {
            give(done ? oldWord : PageWord.of(low, lowLines, 0));
            give(done || high < 0 ? PageWord.NO_LINES : PageWord.of(high, highLines, 0));
        }
        return done ? Room.RESERVED : Room.NO_MEMORY;
    }

    private void give(long pageWord) {
        memory.give(PageWord.address(pageWord), PageWord.lines(pageWord));
    }

    /** The lines of one of the two pages that a page becomes. They have room for all that had room before. */
    private int half(Page old, Part part, int promised) {
        int depth = old.depth() + 1;
        int entries = 0;
        for (int i = 0; i < old.words(); i++) {
            entries += !EntryWord.isFree(old.word(i)) && part.has(old.prefix(i), old.depth()) ? 1 : 0;
        }
        int least = Math.min(PageSizes.MOST_LINES, Math.ceilDiv(entries + promised, PageMemory.LINE_WORDS));
        int lines = layout.size(old, part, depth, least, PageSizes.SPLIT_LINES);
        return lines < 0 ? PageSizes.atLeast(least) : lines;
    }

    private Half copy(Page old, Part part, long newWord) {
        layout.copy(old, part, Page.at(memory, newWord));
        moved += layout.entries();
        return new Half(layout.isFar() ? PageWord.far(newWord) : newWord, layout.entries(), layout.spilled());
    }

    private static int spilledIn(Page page) {
        int result = 0;
        for (int i = 0; i < page.words(); i++) {
            boolean isAway = !EntryWord.isFree(page.word(i)) && page.home(page.prefix(i)) != i / PageMemory.LINE_WORDS;
            result += isAway ? 1 : 0;
        }
        return result;
    }
}
