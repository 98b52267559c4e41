package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** Walks over all pages of an index and checks every invariant of docs/design/hash-table.md. */
final class IndexCheck {

    private final Directory index;
    private final Map<Integer, BitSet> linesOfPieces = new HashMap<>();
    private final Map<Long, Long> hashes = new HashMap<>();
    private long spilled;
    private long lines;
    private int pages;

    private IndexCheck(Directory index) {
        this.index = index;
    }

    /** Checks an index that has to have exactly these entries: the hash of each place. */
    static void check(Directory index, Map<Long, Long> expected) {
        IndexCheck check = new IndexCheck(index);
        for (long prefix = 0; prefix < PageCopy.END; ) {
            prefix = check.page(prefix << Integer.SIZE);
        }
        assertEquals(expected.size(), check.hashes.size(), "entries that pages have");
        expected.forEach((place, hash) -> assertEquals(known(hash), check.hashes.get(place), "hash of an entry"));
        IndexStatistics statistics = index.statistics();
        assertEquals(expected.size(), statistics.entries());
        assertEquals(check.pages, statistics.pages());
        assertEquals(check.lines, statistics.lines());
        assertEquals(check.spilled, statistics.spilledEntries());
    }

    /** What the index knows of a hash. */
    static long known(long hash) {
        return hash & 0xFFFF_FFFF_0007_FFFFL;
    }

    /** Returns the prefix of the next page. */
    private long page(long hash) {
        long word = index.directory().get(hash);
        long last = PageWord.lastHash(word, hash);
        assertEquals(hash, PageWord.firstHash(word, hash), "a page begins where the one before it ends");
        assertEquals(word, index.directory().get(last), "all words of a page are the same");
        assertEquals(word, index.directory().get(hash + ((last - hash) >>> 1)));
        Page page = Page.at(index.memory(), word);
        takeLines(word);
        int count = 0;
        for (int i = 0; i < page.words(); i++) {
            if (EntryWord.isFree(page.word(i))) {
                boolean maySpill = i % PageMemory.LINE_WORDS == 0;
                assertTrue(page.word(i) == 0 || (maySpill && page.word(i) == EntryWord.SPILL), "a free word");
            } else {
                entry(page, i, word);
                assertEquals(hash >>> Integer.SIZE, firstPrefix(page.prefix(i), page.depth()), "page of an entry");
                count++;
            }
        }
        assertEquals(count, index.directory().count(hash), "entries of a page");
        pages++;
        lines += page.lines();
        return (last >>> Integer.SIZE) + 1;
    }

    private static long firstPrefix(int prefix, int depth) {
        return PageWord.firstHash(PageWord.of(0, 0, depth), (long) prefix << Integer.SIZE) >>> Integer.SIZE;
    }

    private void entry(Page page, int at, long pageWord) {
        long word = page.word(at);
        int line = at / PageMemory.LINE_WORDS;
        int home = page.home(page.prefix(at));
        assertTrue(at % PageMemory.LINE_WORDS == 0 || !EntryWord.isSpill(word), "only first words have the spill bit");
        assertTrue(page.distance(home, line) < PageWord.reach(pageWord), "an entry is within reach");
        for (int passed = home; passed != line; passed = page.next(passed)) {
            assertTrue(
                    EntryWord.isSpill(page.word(passed * PageMemory.LINE_WORDS)), "a line before an entry is spilled");
        }
        spilled += line == home ? 0 : 1;
        long hash = ((long) page.prefix(at) << Integer.SIZE) | EntryWord.tag(word);
        Long before = hashes.put(EntryWord.place(word), hash);
        assertEquals(null, before, "each entry is there once");
    }

    private void takeLines(long word) {
        int first = PageWord.lineOf(PageWord.address(word));
        int piece = PageWord.pieceOf(PageWord.address(word));
        BitSet taken = linesOfPieces.computeIfAbsent(piece, ignored -> new BitSet());
        int end = first + PageWord.lines(word);
        int next = taken.nextSetBit(first);
        assertFalse(next >= 0 && next < end, "two pages have the same line");
        taken.set(first, end);
    }
}
