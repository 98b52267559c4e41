package io.kvstore.hash.index;

import io.kvstore.error.Notices;
import java.util.Arrays;

/**
 * Makes pages of the images of pages, while an index is filled from a file. Most images become one page, which is made in
 * arrays and stored once. For one thread, while nobody reads the index.
 */
public final class ImageFill {

    private static final int LINE_WORDS = PageMemory.LINE_WORDS;

    /** The first bits that so many entries of a page share are those of the page, with hardly an exception. */
    private static final int CERTAIN_ENTRIES = 64;

    private final Directory index;
    private final DirectoryWords directory;
    private final long expected;

    // the image: its entries are in the order of their hashes
    private int[] prefixes = {};
    private long[] words = {};

    /** The number of its entries that are in the index. They are its first ones. */
    private int filled;

    // the new page
    private final int[] newPrefixes = new int[PageSizes.SPLIT_LINES * LINE_WORDS];
    private final long[] newWords = new long[PageSizes.SPLIT_LINES * LINE_WORDS];
    private final int[] inLine = new int[PageSizes.SPLIT_LINES];
    private int spilled;
    private int farthest;

    /** @param expected how many entries the index will have in the end */
    public ImageFill(Directory index, long expected) {
        this.index = index;
        this.directory = index.directory();
        boolean hasRoom = index.memory().hasRoom(BulkChanges.MOST_BYTES_A_KEY * expected);
        this.expected = hasRoom ? expected : 0; // else a page could take what another one needs more
    }

    /**
     * Adds entries of one page. None of them is in the index yet. If there is no room, some may be missing.
     *
     * @param firstBits the first 32 bits of the hash of each entry
     * @param entries the word of each entry
     * @param count how many entries these are
     */
    public Room fill(int[] firstBits, long[] entries, int count) {
        prefixes = firstBits;
        words = entries;
        filled = 0;
        boolean isWhole = false;
        if (count >= CERTAIN_ENTRIES && isInOrder(count)) {
            try {
                isWhole = tryFill(0, count);
            } catch (OutOfMemoryError e) {
                Notices.debug(ImageFill.class, null, "there is no memory to make a page at once", e);
            }
        }
        return isWhole ? Room.RESERVED : addOneByOne(count);
    }

    /** Whether the hashes are in order, and each word is one of an entry. */
    private boolean isInOrder(int count) {
        boolean isInOrder = true;
        int before = 0;
        for (int i = 0; i < count; i++) {
            int turned = prefixes[i] ^ Integer.MIN_VALUE; // so that the order is that of unsigned numbers
            isInOrder &= i == 0 || turned >= before;
            isInOrder &= EntryWord.isRecord(words[i]);
            before = turned;
        }
        return isInOrder;
    }

    /** Makes a page of some entries, or several if they are too many. */
    private boolean tryFill(int from, int to) {
        long first = (long) prefixes[from] << Integer.SIZE;
        if (!tryNarrow(first, Integer.numberOfLeadingZeros(prefixes[from] ^ prefixes[to - 1]))) {
            return false;
        }
        int depth = PageWord.depth(directory.get(first));
        int inTheEnd = inTheEnd(to - from, depth);
        int lines = Math.ceilDiv(inTheEnd + inTheEnd / Growth.FILLING_PART, LINE_WORDS);
        while (lines <= PageSizes.SPLIT_LINES) {
            int size = PageSizes.atLeast(lines);
            lay(from, to, depth, size);
            if (farthest < PageWord.NEAR_LINES || 2 * (to - from) < size * LINE_WORDS) {
                return tryStore(first, PageWord.of(0, size, depth), to - from);
            }
            lines = size + 1;
        }
        if (!directory.maySplit(depth)) {
            return false;
        }
        directory.splitEmpty(first);
        int middle = from;
        while (middle < to && prefixes[middle] << depth >= 0) {
            middle++;
        }
        return (middle == from || tryFill(from, middle)) && (middle == to || tryFill(middle, to));
    }

    /** How many entries a page will have: its share of all, unless it has much fewer than the others. */
    private int inTheEnd(int count, int depth) {
        long share = expected >>> depth;
        return 2L * count >= share ? (int) Math.max(count, share) : count;
    }

    /**
     * Splits a page without entries until its hashes have as many first bits in common as those of the image, which would else
     * crowd a few lines of a page that is for many more. Returns false if the page has entries, or is for fewer hashes.
     *
     * @param shared how many first bits the hashes of the image have in common
     */
    private boolean tryNarrow(long hash, int shared) {
        long page = directory.get(hash);
        if (PageWord.lines(page) != 0 || PageWord.depth(page) > shared) {
            return false;
        }
        for (int depth = PageWord.depth(page); depth < shared && directory.maySplit(depth); depth++) {
            directory.splitEmpty(hash);
        }
        return true;
    }

    /** Finds the words of the entries in a page, as {@link Layout} does. */
    private void lay(int from, int to, int depth, int lines) {
        Arrays.fill(inLine, 0, lines, 0);
        Arrays.fill(newWords, 0, lines * LINE_WORDS, 0);
        spilled = 0;
        farthest = 0;
        for (int i = from; i < to; i++) {
            int line = PageWord.home(lines, depth, prefixes[i]);
            if (inLine[line] == LINE_WORDS) {
                line = behind(line, lines);
            }
            int at = line * LINE_WORDS + inLine[line]++;
            newWords[at] = words[i];
            newPrefixes[at] = prefixes[i];
        }
    }

    /** The first line behind a full one that is not full. All lines before it tell that an entry passed. */
    private int behind(int full, int lines) {
        int line = full;
        int distance = 0;
        while (inLine[line] == LINE_WORDS) {
            newWords[line * LINE_WORDS] |= EntryWord.SPILL;
            line = line + 1 == lines ? 0 : line + 1;
            distance++;
        }
        spilled++;
        farthest = Math.max(farthest, distance);
        return line;
    }

    private boolean tryStore(long hash, long shape, int count) {
        int lines = PageWord.lines(shape);
        long address = index.memory().take(lines);
        if (address < 0) {
            return false;
        }
        long page = PageWord.of(address, lines, PageWord.depth(shape));
        Page.at(index.memory(), page).fillUnseen(newWords, newPrefixes);
        directory.set(hash, farthest < PageWord.NEAR_LINES ? page : PageWord.far(page));
        index.filled(hash, count, spilled);
        filled += count;
        return true;
    }

    /** Adds the entries that are not there yet. With too little memory pages become only as large as they must. */
    private Room addOneByOne(int count) {
        int left = count - filled;
        long[] hashes = new long[left];
        for (int i = 0; i < left; i++) {
            hashes[i] = EntryWord.hash(prefixes[filled + i], words[filled + i]);
        }
        Growth growth = index.growth();
        Room room;
        growth.filling();
        try {
            room = index.reserve(hashes, left);
        } finally {
            growth.notFilling();
        }
        if (room != Room.RESERVED) {
            room = index.reserve(hashes, left);
        }
        for (int i = 0; i < left && room == Room.RESERVED; i++) {
            index.insert(hashes[i], EntryWord.place(words[filled + i]));
        }
        return room;
    }
}
