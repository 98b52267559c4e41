package io.kvstore.hash.index;

import java.lang.foreign.MemorySegment;

/**
 * The home lines of some hashes, as they were when {@link Directory#read} copied them. The writer learns from them which keys
 * may have entries, and where there is room for the others. To be used again for other hashes.
 *
 * <p>A processor has only so many instructions under way. So all places are computed first, and then the lines are touched:
 * more reads wait for memory at the same time. With a line comes what is written with an entry, the first bits of the hashes
 * there.
 */
public final class HomeLines {

    private final long[] hashes;
    private final long[] pages;
    private final MemorySegment[] pieces;
    private final int[] lines;

    /** Of each line one behind the other. */
    private final long[] words;

    private int count;

    public HomeLines(int most) {
        hashes = new long[most];
        pages = new long[most];
        pieces = new MemorySegment[most];
        lines = new int[most];
        words = new long[most * PageMemory.LINE_WORDS];
    }

    void begin() {
        count = 0;
    }

    /** Adds a line of a page, which has no memory if it has no lines. */
    void add(long hash, long page, MemorySegment piece) {
        hashes[count] = hash;
        pages[count] = page;
        pieces[count] = piece;
        lines[count] = PageWord.lineOf(PageWord.address(page)) + PageWord.home(page, hash);
        count++;
    }

    private boolean isThere(int at) {
        return PageWord.lines(pages[at]) > 0;
    }

    /** Reads all lines. The result has no meaning: the caller uses it, so that no read is left out. */
    long read() {
        long sum = touch();
        for (int i = 0; i < count; i++) {
            if (isThere(i)) {
                long from = PageMemory.wordsAt(lines[i]);
                int to = i * PageMemory.LINE_WORDS;
                MemorySegment.copy(pieces[i], PageMemory.LONG, from, words, to, PageMemory.LINE_WORDS);
            }
        }
        return sum;
    }

    private long touch() {
        long all = 0;
        for (int i = 0; i < count; i++) {
            if (isThere(i)) {
                all += pieces[i].get(PageMemory.LONG, PageMemory.wordsAt(lines[i]));
                all += pieces[i].get(PageMemory.INT, PageMemory.hashesAt(pieces[i], lines[i]));
            }
        }
        return all;
    }

    long hash(int at) {
        return hashes[at];
    }

    long page(int at) {
        return pages[at];
    }

    /** The line as a page of its own. */
    Page line(int at) {
        return new Page(pieces[at], lines[at], 1, 0);
    }

    /** The place of an entry in the line that has the bits of the hash, or {@link Directory#ABSENT}. */
    long fitting(int at) {
        if (isThere(at)) {
            int first = at * PageMemory.LINE_WORDS;
            for (int i = first; i < first + PageMemory.LINE_WORDS; i++) {
                if (EntryWord.fits(words[i], hashes[at])) {
                    return EntryWord.place(words[i]);
                }
            }
        }
        return Directory.ABSENT;
    }

    /** Whether a later line may have entries with this home line. */
    boolean isSpilled(int at) {
        return isThere(at) && EntryWord.isSpill(words[at * PageMemory.LINE_WORDS]);
    }

    /** A word of the line that was free, or -1. */
    int free(int at) {
        if (isThere(at)) {
            int first = at * PageMemory.LINE_WORDS;
            for (int i = 0; i < PageMemory.LINE_WORDS; i++) {
                if (EntryWord.isFree(words[first + i])) {
                    return i;
                }
            }
        }
        return -1;
    }
}
