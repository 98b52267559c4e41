package io.kvstore.hash.index;

import java.util.Arrays;

/**
 * Puts the entries of a page into a larger page, or one half of them into one of two pages. It may do so without writing first,
 * to see how far behind their home lines entries would lie. Both give the same.
 *
 * <p>The entries are copied to arrays first, and the new page is made in arrays and then stored once. Arrays are much faster
 * than single words outside the heap, and a page is looked at several times.
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

    private static final int LINE_WORDS = PageMemory.LINE_WORDS;
    private static final int NOT_MEASURED = -1;

    // the entries of the old page
    private long[] words = {};
    private int[] prefixes = {};
    private int loaded;
    private int oldDepth;
    private int oldSpilled;

    // the entries of a part, if it is not all
    private long[] someWords = {};
    private int[] somePrefixes = {};

    // the part that was looked at last, and where its entries would lie in a page of so many lines
    private Part part = Part.ALL;
    private int entries;
    private int lines = NOT_MEASURED;
    private final int[] inLine = new int[PageSizes.MOST_LINES];
    private int[] at = {};
    private int[] away = {};
    private int spilled;
    private int farthest;

    // the new page
    private long[] newWords = {};
    private int[] newPrefixes = {};

    /** Copies the entries of a page, whose parts the other methods mean. Fails before any change if there is no memory. */
    void load(Page old) {
        int most = old.words();
        if (words.length < most) {
            long[] moreWords = new long[most];
            someWords = new long[most];
            prefixes = new int[most];
            somePrefixes = new int[most];
            at = new int[most];
            away = new int[most];
            words = moreWords;
        }
        old.read(words, prefixes);
        int count = 0;
        int behind = 0;
        for (int i = 0; i < most; i++) {
            long word = words[i];
            if (!EntryWord.isFree(word)) {
                int prefix = prefixes[i];
                behind += old.home(prefix) == i / LINE_WORDS ? 0 : 1;
                words[count] = word & ~EntryWord.SPILL;
                prefixes[count++] = prefix;
            }
        }
        loaded = count;
        oldDepth = old.depth();
        oldSpilled = behind;
        choose(Part.ALL);
    }

    /** Whether the old page has an entry with another prefix. */
    boolean hasOther(int prefix) {
        for (int i = 0; i < loaded; i++) {
            if (prefixes[i] != prefix) {
                return true;
            }
        }
        return false;
    }

    /** How many entries of the old page lie behind their home lines. */
    int oldSpilled() {
        return oldSpilled;
    }

    /** From now on the entries of a part are meant. */
    void choose(Part chosen) {
        part = chosen;
        lines = NOT_MEASURED;
        entries = loaded;
        if (chosen != Part.ALL) {
            entries = 0;
            for (int i = 0; i < loaded; i++) {
                if (chosen.has(prefixes[i], oldDepth)) {
                    someWords[entries] = words[i];
                    somePrefixes[entries++] = prefixes[i];
                }
            }
        }
    }

    /** How many entries the part has. */
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

    /**
     * The least size of a page for the part, within limits, in which the entries lie near their home lines. A page of which
     * half would be empty is large enough however they lie: then it is their hashes that are alike.
     *
     * @param least lines
     * @param most lines
     * @return -1 if there is none
     */
    int size(int depth, int least, int most) {
        int next = least > most ? least : PageSizes.atLeast(least);
        while (next <= most) {
            measure(depth, next);
            if (!isFar() || 2 * entries < next * LINE_WORDS) {
                return next;
            }
            next = next == most ? most + 1 : PageSizes.atLeast(next + 1);
        }
        return -1;
    }

    /** Finds the words of all entries in a page. */
    private void measure(int depth, int ofLines) {
        Arrays.fill(inLine, 0, ofLines, 0);
        int[] from = part == Part.ALL ? prefixes : somePrefixes;
        int count = entries;
        int behind = 0;
        farthest = 0;
        for (int i = 0; i < count; i++) {
            int line = PageWord.home(ofLines, depth, from[i]);
            if (inLine[line] == LINE_WORDS) {
                away[behind++] = i;
                line = behind(line, ofLines);
            }
            at[i] = line * LINE_WORDS + inLine[line]++;
        }
        spilled = behind;
        lines = ofLines;
    }

    /** The first line behind a full one that is not full. */
    private int behind(int full, int ofLines) {
        int line = full;
        int distance = 0;
        while (inLine[line] == LINE_WORDS) {
            line = line + 1 == ofLines ? 0 : line + 1;
            distance++;
        }
        farthest = Math.max(farthest, distance);
        return line;
    }

    /** Makes the arrays long enough for a new page. Fails before any change if there is no memory. */
    void prepare(int ofLines) {
        int count = ofLines * LINE_WORDS;
        if (newWords.length < count) {
            long[] moreWords = new long[count];
            newPrefixes = new int[count];
            newWords = moreWords;
        }
    }

    /** Copies the part to a page whose memory nobody knows yet, and for which the arrays were prepared. */
    void copy(Page target) {
        if (lines != target.lines()) {
            measure(target.depth(), target.lines());
        }
        boolean isAll = part == Part.ALL;
        long[] fromWords = isAll ? words : someWords;
        int[] fromPrefixes = isAll ? prefixes : somePrefixes;
        Arrays.fill(newWords, 0, target.words(), 0);
        for (int i = 0; i < entries; i++) {
            newWords[at[i]] = fromWords[i];
            newPrefixes[at[i]] = fromPrefixes[i];
        }
        for (int i = 0; i < spilled; i++) {
            int line = target.home(fromPrefixes[away[i]]);
            for (int last = at[away[i]] / LINE_WORDS; line != last; line = target.next(line)) {
                newWords[line * LINE_WORDS] |= EntryWord.SPILL;
            }
        }
        target.fill(newWords, newPrefixes);
    }
}
