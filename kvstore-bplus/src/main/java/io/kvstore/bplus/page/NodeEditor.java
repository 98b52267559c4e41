package io.kvstore.bplus.page;

import static io.kvstore.bplus.page.PageFormat.HEADS;
import static io.kvstore.bplus.page.PageFormat.u16;
import static io.kvstore.bplus.page.PageFormat.u32;
import static io.kvstore.bplus.page.PageFormat.u64;
import static io.kvstore.bplus.page.PageFormat.u8;

import io.kvstore.bytes.ByteCopy;
import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyHead;
import io.kvstore.data.KeyOrder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Changes pages. For one thread at a time. Readers may read meanwhile, see {@link Node}.
 *
 * <p>A page is filled from both ends: heads and words grow from the front, the heap from the back. The heap bytes of an entry
 * that goes are dead until the page is written anew in place. That happens when an entry would not fit otherwise. All keys of a
 * page begin with its prefix, which is chosen when the page is written anew. A key with another beginning makes the prefix
 * shorter.
 */
public final class NodeEditor {

    private MemorySegment scratch = newScratch(PageFormat.UNIT_BYTES);

    public static void clear(MemorySegment page, long id, int level) {
        page.asSlice(0, HEADS).fill((byte) 0);
        u8(page, PageFormat.LEVEL, level);
        u16(page, PageFormat.UNITS, (int) (page.byteSize() / PageFormat.UNIT_BYTES));
        u64(page, PageFormat.ID, id);
        u32(page, PageFormat.HEAP_START, (int) page.byteSize());
    }

    /** Gives an id of its own to a page that was copied byte by byte. */
    public static void setId(MemorySegment page, long id) {
        u64(page, PageFormat.ID, id);
    }

    public static void setLsn(MemorySegment page, long lsn) {
        u64(page, PageFormat.LSN, lsn);
    }

    /** Bytes that entries could still take, with the dead bytes of the heap. */
    public static int freeBytes(MemorySegment page) {
        return gapBytes(page) + u32(page, PageFormat.HEAP_DEAD);
    }

    /** Bytes that entries take, with a long prefix of their keys. The entries of two pages hardly ever take less in one. */
    public static int usedBytes(MemorySegment page) {
        return usableBytes(page) - freeBytes(page);
    }

    /** Bytes of an empty page that entries can take. */
    public static int usableBytes(MemorySegment page) {
        return (int) page.byteSize() - HEADS;
    }

    private static int gapBytes(MemorySegment page) {
        return u32(page, PageFormat.HEAP_START) - HEADS - 2 * Long.BYTES * Node.count(page);
    }

    /** Replaces the value or pointer of a leaf's entry in place, or returns false if the length or the kind differs. */
    public static boolean replace(MemorySegment page, int index, Slice payload, boolean isPointer) {
        long word = Node.word(page, Node.count(page), index);
        if (PageFormat.kind(word) != leafKind(isPointer) || PageFormat.payload(word) != payload.length()) {
            return false;
        }
        long offset = PageFormat.offset(word) + (long) PageFormat.tail(PageFormat.rest(word));
        ByteCopy.toSegment(payload.array(), payload.offset(), page, offset, payload.length());
        return true;
    }

    /**
     * Adds an entry with a value, or with the pointer to one, to a leaf at {@code index}, as found by {@link Node#find}.
     * Returns false and leaves all entries as they are if there is no room.
     */
    public boolean insert(MemorySegment page, int index, byte[] key, Slice payload, boolean isPointer) {
        int offset = open(page, index, key, payload.length());
        if (offset < 0) {
            return false;
        }
        int rest = key.length - u16(page, PageFormat.PREFIX_LENGTH);
        setWord(page, index, PageFormat.word(leafKind(isPointer), offset, rest, payload.length()));
        int tail = PageFormat.tail(rest);
        ByteCopy.toSegment(payload.array(), payload.offset(), page, offset + (long) tail, payload.length());
        return true;
    }

    private static int leafKind(boolean isPointer) {
        return isPointer ? PageFormat.VALUE_POINTER : PageFormat.INLINE;
    }

    /** Adds a child to an inner page at {@code index}. Returns false and leaves all entries as they are if there is no room. */
    public boolean insertChild(MemorySegment page, int index, byte[] key, long child) {
        if (!takePrefix(page, key)) {
            return false;
        }
        int rest = key.length - u16(page, PageFormat.PREFIX_LENGTH);
        int payload = rest > Long.BYTES ? Long.BYTES : 0;
        int offset = open(page, index, key, payload);
        if (offset < 0) {
            return false;
        }
        if (payload == 0) {
            setWord(page, index, PageFormat.childWord(child, rest));
        } else {
            setWord(page, index, PageFormat.word(PageFormat.CHILD_IN_HEAP, offset, rest, payload));
            u64(page, offset + (long) PageFormat.tail(rest), child);
        }
        return true;
    }

    public static void setChild(MemorySegment page, int index, long child) {
        long word = Node.word(page, Node.count(page), index);
        if (PageFormat.kind(word) == PageFormat.CHILD) {
            setWord(page, index, PageFormat.childWord(child, PageFormat.rest(word)));
        } else {
            u64(page, PageFormat.offset(word) + (long) PageFormat.tail(PageFormat.rest(word)), child);
        }
    }

    /**
     * Whether a key may replace the key of an entry in an inner page. It has to follow the key before, and there has to be room
     * for it whatever the replaced key is.
     */
    public static boolean canReplaceKey(MemorySegment page, int index, byte[] key) {
        boolean follows = index == 0 || KeyOrder.compare(Node.key(page, index - 1), key) < 0;
        return follows && hasRoomForKey(page, key);
    }

    private static boolean hasRoomForKey(MemorySegment page, byte[] key) {
        int prefix = u16(page, PageFormat.PREFIX_LENGTH);
        int most = 2 * Long.BYTES + PageFormat.tail(key.length - prefix) + Long.BYTES;
        return commonWithPrefix(page, key) == prefix && most <= freeBytes(page);
    }

    /** Lets another key lead to a child. Called only after {@link #canReplaceKey} allowed it. */
    public void replaceKey(MemorySegment page, int index, byte[] key) {
        long child = Node.child(page, index);
        remove(page, index);
        if (!insertChild(page, index, key, child)) {
            throw new IllegalStateException("a page has no room where it should have");
        }
    }

    /**
     * Called before a key comes behind the first one of an inner page. Makes sure that the first key is below it.
     *
     * @param begin no key below this one leads to the page
     * @return false, with the keys as before, if there is no room
     */
    public boolean lowerFirstKey(MemorySegment page, byte[] key, byte[] begin) {
        if (KeyOrder.compare(Node.key(page, 0), key) < 0) {
            return true;
        }
        if (!takePrefix(page, begin) || !hasRoomForKey(page, begin)) {
            return false;
        }
        replaceKey(page, 0, begin);
        return true;
    }

    public static void remove(MemorySegment page, int index) {
        int count = Node.count(page);
        int dead = PageFormat.heapBytes(Node.word(page, count, index));
        u32(page, PageFormat.HEAP_DEAD, u32(page, PageFormat.HEAP_DEAD) + dead);
        long heads = HEADS;
        long words = HEADS + (long) Long.BYTES * count;
        move(page, heads + (long) Long.BYTES * (index + 1), -1, count - 1);
        move(page, words + (long) Long.BYTES * (index + 1), -2, count - index - 1);
        u32(page, PageFormat.COUNT, count - 1);
        setHints(page, count - 1);
    }

    private static void move(MemorySegment page, long from, int places, int numbers) {
        MemorySegment.copy(page, from, page, from + (long) Long.BYTES * places, (long) Long.BYTES * numbers);
    }

    /**
     * Makes room for an entry. Afterwards head and key bytes are in place; the caller still has to write the word and the
     * payload. Returns the offset of the entry's heap bytes. If there is no room, returns -1 and leaves all entries as they
     * are.
     */
    private int open(MemorySegment page, int index, byte[] key, int payload) {
        if (!takePrefix(page, key)) {
            return -1;
        }
        int prefix = u16(page, PageFormat.PREFIX_LENGTH);
        int tail = PageFormat.tail(key.length - prefix);
        int needed = 2 * Long.BYTES + tail + payload;
        if (needed > gapBytes(page)) {
            if (needed > freeBytes(page)) {
                return -1;
            }
            rewrite(page, prefix);
        }
        int count = Node.count(page);
        long words = HEADS + (long) Long.BYTES * count;
        move(page, words + (long) Long.BYTES * index, 2, count - index);
        move(page, HEADS + (long) Long.BYTES * index, 1, count);
        u64(page, HEADS + (long) Long.BYTES * index, KeyHead.of(key, prefix, key.length));
        int offset = u32(page, PageFormat.HEAP_START) - tail - payload;
        u32(page, PageFormat.HEAP_START, offset);
        u32(page, PageFormat.COUNT, count + 1);
        ByteCopy.toSegment(key, key.length - tail, page, offset, tail);
        setHints(page, count + 1);
        return offset;
    }

    private static void setWord(MemorySegment page, int index, long word) {
        u64(page, HEADS + (long) Long.BYTES * (Node.count(page) + index), word);
    }

    static void setHints(MemorySegment page, int count) {
        if (count > PageFormat.HINT_COUNT) {
            for (int i = 0; i < PageFormat.HINT_COUNT; i++) {
                long head = Node.head(page, Node.hinted(i, count));
                u32(page, PageFormat.HINTS + (long) Integer.BYTES * i, (int) (head >>> Integer.SIZE));
            }
        }
    }

    /** Shortens the prefix so that a key begins with it. Without room returns false and leaves all entries as they are. */
    private boolean takePrefix(MemorySegment page, byte[] key) {
        if (Node.count(page) == 0) {
            rewrite(page, 0);
        }
        int common = commonWithPrefix(page, key);
        if (common == u16(page, PageFormat.PREFIX_LENGTH)) {
            return true;
        }
        if (!fits(page, common, bytesFor(page, 0, Node.count(page), common))) {
            return false;
        }
        rewrite(page, common);
        return true;
    }

    private static int commonWithPrefix(MemorySegment page, byte[] key) {
        int most = Math.min(u16(page, PageFormat.PREFIX_LENGTH), key.length);
        long offset = u32(page, PageFormat.PREFIX_OFFSET);
        int common = 0;
        while (common < most && u8(page, offset + common) == (key[common] & 0xFF)) {
            common++;
        }
        return common;
    }

    private static boolean fits(MemorySegment page, int prefix, int bytes) {
        return HEADS + prefix + bytes <= page.byteSize();
    }

    /** The bytes that some entries of a page need in a page with a prefix of another length, without that prefix. */
    static int bytesFor(MemorySegment page, int from, int to, int prefix) {
        int count = Node.count(page);
        int longer = u16(page, PageFormat.PREFIX_LENGTH) - prefix;
        int bytes = 2 * Long.BYTES * (to - from);
        for (int i = from; i < to; i++) {
            long word = Node.word(page, count, i);
            int rest = PageFormat.rest(word) + longer;
            bytes += PageFormat.tail(rest) + payloadFor(word, rest);
        }
        return bytes;
    }

    private static int payloadFor(long word, int rest) {
        return switch (PageFormat.kind(word)) {
            case PageFormat.CHILD, PageFormat.CHILD_IN_HEAP -> rest > Long.BYTES ? Long.BYTES : 0;
            default -> PageFormat.payload(word);
        };
    }

    /** Writes a page anew in place, without dead bytes. */
    private void rewrite(MemorySegment page, int prefix) {
        MemorySegment copy = copyOf(page);
        build(page, Node.id(page), prefix, List.of(new Part(copy, 0, Node.count(copy))));
    }

    private MemorySegment copyOf(MemorySegment page) {
        scratch = larger(scratch, page);
        return copy(page, scratch);
    }

    /** Memory for a copy of a page, outside the heap like pages, so that code that reads pages meets one kind of memory. */
    static MemorySegment larger(MemorySegment scratch, MemorySegment page) {
        return scratch.byteSize() >= page.byteSize() ? scratch : newScratch(page.byteSize());
    }

    static MemorySegment newScratch(long bytes) {
        return Arena.ofAuto().allocate(bytes, Long.BYTES);
    }

    static MemorySegment copy(MemorySegment page, MemorySegment scratch) {
        return scratch.asSlice(0, page.byteSize()).copyFrom(page);
    }

    record Part(MemorySegment page, int from, int to) {

        static Part all(MemorySegment page) {
            return new Part(page, 0, Node.count(page));
        }

        int count() {
            return to - from;
        }
    }

    static void build(MemorySegment page, long id, int prefix, List<Part> parts) {
        MemorySegment first = parts.getFirst().page();
        long lsn = Node.lsn(first);
        byte[] beginning = beginning(parts, prefix);
        clear(page, id, Node.level(first));
        setLsn(page, lsn);
        boolean isShort = prefix <= PageFormat.MAX_SHORT_PREFIX_BYTES;
        int heap = (int) page.byteSize() - (isShort ? 0 : prefix);
        int offset = isShort ? PageFormat.SHORT_PREFIX : heap;
        ByteCopy.toSegment(beginning, 0, page, offset, prefix);
        u32(page, PageFormat.PREFIX_OFFSET, offset);
        u16(page, PageFormat.PREFIX_LENGTH, prefix);
        int count = parts.stream().mapToInt(Part::count).sum();
        u32(page, PageFormat.COUNT, count);
        u32(page, PageFormat.HEAP_START, heap);
        int index = 0;
        for (Part part : parts) {
            for (int i = part.from(); i < part.to(); i++) {
                copyEntry(part.page(), i, page, index++);
            }
        }
        setHints(page, count);
    }

    private static byte[] beginning(List<Part> parts, int prefix) {
        for (Part part : parts) {
            if (prefix > 0 && part.count() > 0) {
                return Arrays.copyOf(Node.key(part.page(), part.from()), prefix);
            }
        }
        return new byte[prefix];
    }

    private static void copyEntry(MemorySegment from, int index, MemorySegment to, int target) {
        long word = Node.word(from, Node.count(from), index);
        int longer = u16(from, PageFormat.PREFIX_LENGTH) - u16(to, PageFormat.PREFIX_LENGTH);
        int rest = PageFormat.rest(word) + longer;
        int tail = PageFormat.tail(rest);
        int payload = payloadFor(word, rest);
        int heap = u32(to, PageFormat.HEAP_START) - tail - payload;
        u32(to, PageFormat.HEAP_START, heap);
        int oldTail = PageFormat.tail(PageFormat.rest(word));
        if (longer == 0) {
            u64(to, HEADS + (long) Long.BYTES * target, Node.head(from, index));
            if (tail > 0) {
                MemorySegment.copy(from, PageFormat.offset(word), to, heap, tail);
            }
        } else {
            byte[] key = Node.key(from, index);
            u64(to, HEADS + (long) Long.BYTES * target, KeyHead.of(key, key.length - rest, key.length));
            ByteCopy.toSegment(key, key.length - tail, to, heap, tail);
        }
        int kind = PageFormat.kind(word);
        if (kind == PageFormat.CHILD || kind == PageFormat.CHILD_IN_HEAP) {
            long child = Node.child(from, index);
            setWord(
                    to,
                    target,
                    payload == 0
                            ? PageFormat.childWord(child, rest)
                            : PageFormat.word(PageFormat.CHILD_IN_HEAP, heap, rest, payload));
            if (payload > 0) {
                u64(to, heap + (long) tail, child);
            }
        } else {
            setWord(to, target, PageFormat.word(kind, heap, rest, payload));
            MemorySegment.copy(from, PageFormat.offset(word) + (long) oldTail, to, heap + (long) tail, payload);
        }
    }

    /**
     * How many entries stay, from 1 to all, when a page is divided to which an entry is added. It is divided in the middle by
     * bytes, or at the end if the entry comes behind all others, as ascending keys do.
     */
    public static int divideAt(MemorySegment page, int index) {
        int count = Node.count(page);
        if (index == count && count > 1) {
            return count;
        }
        int prefix = u16(page, PageFormat.PREFIX_LENGTH);
        int half = bytesFor(page, 0, count, prefix) / 2;
        int at = 0;
        for (int bytes = 0; bytes < half; at++) {
            bytes += bytesFor(page, at, at + 1, prefix);
        }
        return Math.clamp(at, 1, count - 1);
    }

    /** Moves the entries from {@code from} on, at least one, to an empty page on the right. */
    public void split(MemorySegment page, MemorySegment right, int from) {
        MemorySegment copy = copyOf(page);
        int count = Node.count(copy);
        fill(right, Node.id(right), List.of(new Part(copy, from, count)));
        fill(page, Node.id(copy), List.of(new Part(copy, 0, from)));
    }

    /** Fills a page, which is empty except for its id, with all entries of another page. */
    public static void copyAll(MemorySegment page, MemorySegment from) {
        fill(page, Node.id(page), List.of(new Part(from, 0, Node.count(from))));
    }

    /** Adds all entries of the page on the right. Returns false and changes nothing if there is no room. */
    public boolean merge(MemorySegment page, MemorySegment right) {
        MemorySegment copy = copyOf(page);
        List<Part> parts = List.of(Part.all(copy), Part.all(right));
        int prefix = commonPrefix(parts);
        if (!fits(page, prefix, parts)) {
            return false;
        }
        build(page, Node.id(copy), prefix, parts);
        return true;
    }

    /** Whether a page that has no other entries has room for these. */
    static boolean fits(MemorySegment page, int prefix, List<Part> parts) {
        int bytes = 0;
        for (Part part : parts) {
            bytes += bytesFor(part.page(), part.from(), part.to(), prefix);
        }
        return fits(page, prefix, bytes);
    }

    /**
     * Fills a page with entries that fit. The prefix is the beginning that all keys have in common, if the entries fit with it,
     * or else that of the page they come from.
     */
    private static void fill(MemorySegment page, long id, List<Part> parts) {
        Part only = parts.getFirst();
        int prefix = commonPrefix(parts);
        if (!fits(page, prefix, bytesFor(only.page(), only.from(), only.to(), prefix))) {
            prefix = u16(only.page(), PageFormat.PREFIX_LENGTH);
        }
        build(page, id, prefix, parts);
    }

    /** How many bytes the first and the last key have in common at the beginning, and so all keys. */
    static int commonPrefix(List<Part> parts) {
        List<Part> filled = parts.stream().filter(part -> part.count() > 0).toList();
        if (filled.isEmpty()) {
            return 0;
        }
        byte[] first = Node.key(filled.getFirst().page(), filled.getFirst().from());
        byte[] last = Node.key(filled.getLast().page(), filled.getLast().to() - 1);
        int mismatch = Arrays.mismatch(first, last);
        return mismatch < 0 ? Math.max(0, first.length - Long.BYTES) : mismatch;
    }

    /** The shortest key that is above {@code left} and not above {@code right}. The right key is above the left one. */
    public static byte[] separator(byte[] left, byte[] right) {
        return Arrays.copyOf(right, Math.min(right.length, Arrays.mismatch(left, right) + 1));
    }
}
