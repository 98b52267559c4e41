package io.kvstore.hash.index;

import java.util.Arrays;

/**
 * Puts the entries of a page into a larger page, or one half of them into one of two pages. It may do so without writing first,
 * to see how far behind their home lines entries would lie. Both give the same.
 */
final class Layout {

    /** Which entries of the old page are meant. */
    enum Part {
        ALL,
        /** Those whose first bit behind the ones in common is 0. */
        LOW,
        /** Those whose first bit behind the ones in common is 1. */
        HIGH;

        boolean has(int prefix, int depth) {
            return this == ALL || ((prefix >>> (Integer.SIZE - 1 - depth)) & 1) == (this == HIGH ? 1 : 0);
        }
    }

    private final byte[] inLine = new byte[PageSizes.MOST_LINES];
    private int entries;
    private int farthest;
    private int spilled;

    /** How many entries the last page got. */
    int entries() {
        return entries;
    }

    /** Whether an entry of the last page lies farther behind its home line than readers look, unless they are told. */
    boolean isFar() {
        return farthest >= PageWord.NEAR_LINES;
    }

    /** How many entries of the last page lie behind their home lines. */
    int spilled() {
        return spilled;
    }

    private void begin() {
        Arrays.fill(inLine, (byte) 0);
        entries = 0;
        farthest = 0;
        spilled = 0;
    }

    /**
     * The least size of a page, within limits, in which the entries lie near their home lines. A page of which half would be
     * empty is large enough however they lie: then it is their hashes that are alike.
     *
     * @param least lines
     * @param most lines
     * @return -1 if there is none
     */
    int size(Page old, Part part, int depth, int least, int most) {
        int lines = least > most ? least : PageSizes.atLeast(least);
        while (lines <= most) {
            measure(old, part, new Page(old.piece(), 0, lines, depth));
            if (!isFar() || 2 * entries < lines * PageMemory.LINE_WORDS) {
                return lines;
            }
            lines = lines == most ? most + 1 : PageSizes.atLeast(lines + 1);
        }
        return -1;
    }

    private void measure(Page old, Part part, Page target) {
        begin();
        for (int i = 0; i < old.words(); i++) {
            if (!EntryWord.isFree(old.word(i)) && part.has(old.prefix(i), old.depth())) {
                count(target, target.home(old.prefix(i)), false);
            }
        }
    }

    /** Copies entries to a page whose memory nobody knows yet. */
    void copy(Page old, Part part, Page target) {
        begin();
        for (int i = 0; i < target.words(); i++) {
            target.clear(i);
        }
        for (int i = 0; i < old.words(); i++) {
            long word = old.word(i);
            int prefix = old.prefix(i);
            if (!EntryWord.isFree(word) && part.has(prefix, old.depth())) {
                target.set(count(target, target.home(prefix), true), prefix, word & ~EntryWord.SPILL);
            }
        }
    }

    /** The word for the next entry with the given home line. */
    private int count(Page target, int home, boolean writes) {
        int line = home;
        int distance = 0;
        while (inLine[line] == PageMemory.LINE_WORDS) {
            if (writes) {
                target.spill(line);
            }
            line = target.next(line);
            distance++;
        }
        entries++;
        farthest = Math.max(farthest, distance);
        spilled += distance == 0 ? 0 : 1;
        return line * PageMemory.LINE_WORDS + inLine[line]++;
    }
}
