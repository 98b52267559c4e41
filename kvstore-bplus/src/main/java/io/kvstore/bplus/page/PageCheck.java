package io.kvstore.bplus.page;

import io.kvstore.data.KeyOrder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Checks every rule that concerns one page alone. */
public final class PageCheck {

    private final MemorySegment page;
    private final List<String> faults = new ArrayList<>();

    private PageCheck(MemorySegment page) {
        this.page = page;
    }

    /** The faults of a page that no thread changes; empty if there are none. */
    public static List<String> faultsOf(MemorySegment page) {
        PageCheck check = new PageCheck(page);
        try {
            check.run();
        } catch (IndexOutOfBoundsException e) {
            check.faults.add("an entry lies outside of the page");
        }
        return check.faults;
    }

    /**
     * Whether a page that was read keeps the rules on which reading and changing it rest: all that it says lies within it, its
     * keys ascend, and its pointers are pointers. Takes no memory, and about as long as reading the page from the system's
     * cache.
     */
    public static boolean isSound(MemorySegment page, long id) {
        return Node.id(page) == id && new PageGuard(page).isSound();
    }

    private void run() {
        int count = Node.count(page);
        int heapStart = PageFormat.u32(page, PageFormat.HEAP_START);
        int units = PageFormat.u16(page, PageFormat.UNITS);
        if ((long) units * PageFormat.UNIT_BYTES != page.byteSize() || PageFormat.u8(page, PageFormat.FLAGS) != 0) {
            faults.add("the page says that it has " + units + " units, and flags that are not known");
        }
        if (count < 0 || PageFormat.HEADS + 2L * Long.BYTES * count > heapStart || heapStart > page.byteSize()) {
            faults.add(count + " entries and a heap from " + heapStart + " on overlap");
            return;
        }
        int prefix = PageFormat.u16(page, PageFormat.PREFIX_LENGTH);
        int used = prefix <= PageFormat.MAX_SHORT_PREFIX_BYTES ? 0 : prefix;
        checkOverlaps(count);
        byte[] before = null;
        for (int i = 0; i < count; i++) {
            long word = Node.word(page, count, i);
            used += PageFormat.heapBytes(word);
            checkWord(i, word, heapStart);
            byte[] key = Node.key(page, i);
            if (before != null && KeyOrder.compare(before, key) >= 0) {
                faults.add("entry " + i + " does not follow the one before it");
            }
            before = key;
        }
        int dead = PageFormat.u32(page, PageFormat.HEAP_DEAD);
        if (used + dead != page.byteSize() - heapStart) {
            faults.add("the heap has " + (page.byteSize() - heapStart) + " bytes, " + used + " used and " + dead
                    + " dead");
        }
        checkHints(count);
    }

    private void checkWord(int index, long word, int heapStart) {
        int kind = PageFormat.kind(word);
        boolean isInner = Node.level(page) > 0;
        boolean known = isInner
                ? kind == PageFormat.CHILD || kind == PageFormat.CHILD_IN_HEAP
                : kind == PageFormat.INLINE || kind == PageFormat.VALUE_POINTER;
        if (!known) {
            faults.add("entry " + index + " has kind and flags " + kind);
        }
        if (kind == PageFormat.CHILD ? PageFormat.rest(word) > Long.BYTES : isOutside(word, heapStart)) {
            faults.add("entry " + index + " lies outside of the heap");
        }
    }

    /** No byte of the heap belongs to two entries. */
    private void checkOverlaps(int count) {
        long[] parts = new long[count];
        for (int i = 0; i < count; i++) {
            long word = Node.word(page, count, i);
            int bytes = PageFormat.heapBytes(word);
            parts[i] = bytes == 0 ? 0 : (long) PageFormat.offset(word) << Integer.SIZE | bytes;
        }
        Arrays.sort(parts);
        long end = 0;
        for (long part : parts) {
            if (part != 0 && part >>> Integer.SIZE < end) {
                faults.add("bytes at " + (part >>> Integer.SIZE) + " belong to two entries");
            }
            end = (part >>> Integer.SIZE) + (int) part;
        }
    }

    private boolean isOutside(long word, int heapStart) {
        int bytes = PageFormat.heapBytes(word);
        return bytes > 0
                && (PageFormat.offset(word) < heapStart || PageFormat.offset(word) + (long) bytes > page.byteSize());
    }

    private void checkHints(int count) {
        for (int i = 0; count > PageFormat.HINT_COUNT && i < PageFormat.HINT_COUNT; i++) {
            int hint = PageFormat.u32(page, PageFormat.HINTS + (long) Integer.BYTES * i);
            if (hint != (int) (Node.head(page, Node.hinted(i, count)) >>> Integer.SIZE)) {
                faults.add("hint " + i + " is not that of its entry");
            }
        }
    }
}
