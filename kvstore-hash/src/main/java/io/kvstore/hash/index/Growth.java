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
    static final int FILLING_PART = 3;

    /** More than any page can have. Such a page becomes several. */
    private static final int MOST_FILLED = 1 << 20;

    private final DirectoryWords directory;
    private final PageMemory memory;
    private final Promises promises;
    private final Layout layout = new Layout();
    private long moved;
    private long spilled;

    /** Whether the index is being filled. Then a page gets the size at once that single inserts would lead to. */
    private boolean isFilling;

    /** How many entries there will be in the end, and how many there are soon, while it is being filled. */
    private long expected;

    private long soon;

    Growth(DirectoryWords directory, PageMemory memory, Promises promises) {
        this.directory = directory;
        this.memory = memory;
        this.promises = promises;
    }

    /** The index gets whole pages. */
    void filling() {
        fillingTo(0, 0);
    }

    /**
     * The index gets a part of its entries, in all pages.
     *
     * @param entries how many there will be in the end
     * @param entriesSoon how many there are after that part
     */
    void fillingTo(long entries, long entriesSoon) {
        isFilling = true;
        expected = entries;
        soon = entriesSoon;
    }

    void notFilling() {
        isFilling = false;
    }

    /** Grows the page of a hash until it has a word for each promise. */
    Room makeRoom(long hash) {
        Room room = Room.RESERVED;
        while (room == Room.RESERVED && !hasRoom(hash)) {
            room = step(hash);
        }
        return room;
    }

    /** Mostly a page has a word for each promise there is, and nobody has to count those of the page. */
    private boolean hasRoom(long hash) {
        int words = words(directory.get(hash));
        boolean isCertain = !isFilling && directory.count(hash) + promises.open() <= words;
        return isCertain || wanted(hash) <= words;
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
        if (!isFilling) {
            return entries;
        }
        int inTheEnd = (int) Math.min(MOST_FILLED, Math.max(entries, inTheEnd(entries, PageWord.depth(word))));
        return inTheEnd + inTheEnd / FILLING_PART;
    }

    /**
     * How many entries a page will have. If it has not much fewer than the others, that is its share of all: the first few
     * entries tell less well.
     */
    private long inTheEnd(int entries, int depth) {
        long share = expected >>> depth;
        double ownShare = (double) entries * expected / Math.max(1, soon);
        return 2 * ownShare >= share ? share : (long) ownShare;
    }

    private Room step(long hash) {
        try {
            long word = directory.get(hash);
            Page old = Page.at(memory, word);
            layout.load(old);
            int least = Math.max(old.lines() + 1, Math.ceilDiv(wanted(hash), PageMemory.LINE_WORDS));
            int lines = layout.size(old.depth(), least, PageSizes.SPLIT_LINES);
            if (lines > 0) {
                return resize(hash, old, lines);
            }
            if (directory.maySplit(old.depth()) && isParted(hash)) {
                return split(hash, old);
            }
            return least > PageSizes.MOST_LINES
                    ? Room.TOO_MANY_OF_ONE_HASH
                    : resize(hash, old, PageSizes.atLeast(least));
        } catch (OutOfMemoryError e) {
            return Room.NO_MEMORY;
        }
    }

    /** Whether the page that was loaded has, or is to get, entries with different prefixes. */
    private boolean isParted(long hash) {
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
        return layout.hasOther(some);
    }

    private Room resize(long hash, Page old, int lines) {
        layout.prepare(lines);
        long address = memory.take(lines);
        if (address < 0) {
            return Room.NO_MEMORY;
        }
        long oldWord = directory.get(hash);
        boolean done = false;
        try {
            Half whole = copy(PageWord.of(address, lines, old.depth()));
            spilled += whole.spilled() - layout.oldSpilled();
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
        int lowLines = half(old.depth() + 1, Part.LOW, promises.countIn(PageWord.firstHash(oldWord, hash), middle - 1));
        int highLines = half(old.depth() + 1, Part.HIGH, promises.countIn(middle, PageWord.lastHash(oldWord, hash)));
        layout.prepare(Math.max(lowLines, highLines));
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
                layout.choose(Part.LOW);
                Half lowHalf = copy(PageWord.of(low, lowLines, old.depth() + 1));
                layout.choose(Part.HIGH);
                Half highHalf = copy(PageWord.of(high, highLines, old.depth() + 1));
                spilled += lowHalf.spilled() + highHalf.spilled() - layout.oldSpilled();
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
    private int half(int depth, Part part, int promised) {
        layout.choose(part);
        int wanted = Math.ceilDiv(layout.entries() + promised, PageMemory.LINE_WORDS);
        int least = Math.min(PageSizes.MOST_LINES, wanted);
        int lines = layout.size(depth, least, PageSizes.SPLIT_LINES);
        return lines < 0 ? PageSizes.atLeast(least) : lines;
    }

    /** Copies the chosen part. */
    private Half copy(long newWord) {
        layout.copy(Page.at(memory, newWord));
        moved += layout.entries();
        return new Half(layout.isFar() ? PageWord.far(newWord) : newWord, layout.entries(), layout.spilled());
    }
}
