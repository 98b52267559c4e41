package io.kvstore.hash.index;

import java.lang.foreign.MemorySegment;

/**
 * One page as the writer sees it. Words are written with release: a reader that finds a word here which was written for a later
 * page in the same memory, finds the directory as it was then or later.
 */
record Page(MemorySegment piece, int firstLine, int lines, int depth) {

    /** A page without lines. */
    static final Page NONE = new Page(MemorySegment.NULL, 0, 0, 0);

    static Page at(PageMemory memory, long pageWord) {
        int lines = PageWord.lines(pageWord);
        MemorySegment piece = lines == 0 ? MemorySegment.NULL : memory.piece(pageWord);
        return new Page(piece, PageWord.lineOf(PageWord.address(pageWord)), lines, PageWord.depth(pageWord));
    }

    int words() {
        return lines * PageMemory.LINE_WORDS;
    }

    long word(int index) {
        return piece.get(PageMemory.LONG, PageMemory.wordsAt(firstLine) + (long) index * Long.BYTES);
    }

    /** The first 32 bits of the hash of the entry of a word. */
    int prefix(int index) {
        return piece.get(PageMemory.INT, PageMemory.hashesAt(piece, firstLine) + (long) index * Integer.BYTES);
    }

    /** Copies all words, and the first bits of their hashes, to arrays. */
    void read(long[] intoWords, int[] intoPrefixes) {
        readWords(intoWords);
        if (lines > 0) {
            MemorySegment.copy(piece, PageMemory.INT, PageMemory.hashesAt(piece, firstLine), intoPrefixes, 0, words());
        }
    }

    void readWords(long[] into) {
        if (lines > 0) {
            MemorySegment.copy(piece, PageMemory.LONG, PageMemory.wordsAt(firstLine), into, 0, words());
        }
    }

    /** Sets all words, whatever they were, and the first bits of their hashes. */
    void fill(long[] fromWords, int[] fromPrefixes) {
        MemorySegment.copy(fromPrefixes, 0, piece, PageMemory.INT, PageMemory.hashesAt(piece, firstLine), words());
        long at = PageMemory.wordsAt(firstLine);
        int count = words();
        for (int i = 0; i < count; i++) {
            PageMemory.WORD.setRelease(piece, at + (long) i * Long.BYTES, fromWords[i]);
        }
    }

    /** As {@link #fill}, while nobody reads the index. */
    void fillUnseen(long[] fromWords, int[] fromPrefixes) {
        MemorySegment.copy(fromPrefixes, 0, piece, PageMemory.INT, PageMemory.hashesAt(piece, firstLine), words());
        MemorySegment.copy(fromWords, 0, piece, PageMemory.LONG, PageMemory.wordsAt(firstLine), words());
    }

    /** Sets a word that was free. */
    void set(int index, int prefix, long word) {
        piece.set(PageMemory.INT, PageMemory.hashesAt(piece, firstLine) + (long) index * Integer.BYTES, prefix);
        setWord(index, word);
    }

    /** Replaces a word, but for its spill bit. */
    void setWord(int index, long word) {
        store(index, word | (word(index) & EntryWord.SPILL));
    }

    /** Notes that an entry of a line, or one that passed over it, lies in a later line. */
    void spill(int line) {
        int first = line * PageMemory.LINE_WORDS;
        if (!EntryWord.isSpill(word(first))) {
            store(first, word(first) | EntryWord.SPILL);
        }
    }

    private void store(int index, long word) {
        PageMemory.WORD.setRelease(piece, PageMemory.wordsAt(firstLine) + (long) index * Long.BYTES, word);
    }

    int home(int prefix) {
        return PageWord.home(lines, depth, prefix);
    }

    /** How many lines a line is behind another one. The first line follows the last one. */
    int distance(int from, int to) {
        return to >= from ? to - from : to - from + lines;
    }

    int next(int line) {
        return line + 1 == lines ? 0 : line + 1;
    }

    /** The first free word in the given number of lines from a line on, or -1. */
    int freeFrom(int home, int reach) {
        int line = home;
        for (int i = 0; i < reach; i++) {
            for (int word = 0; word < PageMemory.LINE_WORDS; word++) {
                int index = line * PageMemory.LINE_WORDS + word;
                if (EntryWord.isFree(word(index))) {
                    return index;
                }
            }
            line = next(line);
        }
        return -1;
    }

    /** The index of exactly this word, but for the spill bit, or -1. */
    int find(int home, int reach, long wanted) {
        int line = home;
        for (int i = 0; i < reach; i++) {
            int first = line * PageMemory.LINE_WORDS;
            for (int index = first; index < first + PageMemory.LINE_WORDS; index++) {
                if (EntryWord.isSame(word(index), wanted)) {
                    return index;
                }
            }
            if (!EntryWord.isSpill(word(first))) {
                return -1;
            }
            line = next(line);
        }
        return -1;
    }
}
