package io.kvstore.bplus.page;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The layout of a page and of its entries.
 *
 * <pre>
 *    0  crc32c      u32, set when the page is written
 *    4  level       u8, 0 for a leaf
 *    5  flags       u8, 0
 *    6  units       u16, the page's length in units of 4 KiB
 *    8  page id     u64
 *   16  lsn         u64 of the last change
 *   24  count       u32
 *   28  heap start  u32, the heap reaches from there to the page's end
 *   32  heap dead   u32, bytes of the heap that no entry uses
 *   36  prefix      u32 offset of the beginning that all keys share
 *   40  prefix      u16 length
 *   42  prefix      if it has at most 22 bytes, else zero: a longer one is in the heap
 *   64  hints       16 x u32, the upper halves of 16 heads that divide the entries evenly
 *  128  heads       count x u64
 *       words       count x u64
 *       free
 *       heap
 * </pre>
 *
 * <p>The head of an entry is the first eight bytes of its key behind the prefix, as a big-endian number, with zeros behind a
 * shorter key. So unequal heads have, as unsigned numbers, the order of their keys. Heads lie together, so a search touches few
 * cache lines. The word has the rest:
 *
 * <pre>
 *   bits  0..15  length of the key behind the prefix
 *   bits 16..35  offset of the entry's bytes in the heap: key bytes behind the head, then the payload
 *   bits 36..55  length of the payload
 *   bits 56..59  kind
 *   bits 60..63  flags, none is known
 * </pre>
 *
 * <p>A child whose key has at most eight bytes behind the prefix needs no heap: bits 16..55 of its word are the child's id.
 */
final class PageFormat {

    /** A page is one unit or, for long keys, more. */
    static final int UNIT_BYTES = 4 << 10;

    /** With this limit every offset has 20 bits. */
    static final int MAX_UNITS = 255;

    static final int CRC = 0;
    static final int LEVEL = 4;
    static final int FLAGS = 5;
    static final int UNITS = 6;
    static final int ID = 8;
    static final int LSN = 16;
    static final int COUNT = 24;
    static final int HEAP_START = 28;
    static final int HEAP_DEAD = 32;
    static final int PREFIX_OFFSET = 36;
    static final int PREFIX_LENGTH = 40;
    static final int SHORT_PREFIX = 42;
    static final int HINTS = 64;

    /** A prefix of at most this many bytes lies in the page's first cache line, which every search touches. */
    static final int MAX_SHORT_PREFIX_BYTES = HINTS - SHORT_PREFIX;

    static final int HINT_COUNT = 16;
    static final int HEADS = 128;

    /** The kind of an entry whose payload is the value. */
    static final int INLINE = 1;

    /** The kind of an entry whose payload is the pointer to the value. */
    static final int VALUE_POINTER = 2;

    /** The kind of an entry that has the id of a child in the word itself. */
    static final int CHILD = 4;

    /** The kind of an entry whose payload is the id of a child. */
    static final int CHILD_IN_HEAP = 5;

    /** Child ids have 40 bits. */
    static final long MAX_PAGE_ID = (1L << 40) - 1;

    private static final int OFFSET_BITS = 20;
    private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private PageFormat() {}

    static long u64(MemorySegment page, long offset) {
        return page.get(LONG, offset);
    }

    static void u64(MemorySegment page, long offset, long value) {
        page.set(LONG, offset, value);
    }

    static int u32(MemorySegment page, long offset) {
        return page.get(INT, offset);
    }

    static void u32(MemorySegment page, long offset, int value) {
        page.set(INT, offset, value);
    }

    static int u16(MemorySegment page, long offset) {
        return page.get(SHORT, offset) & 0xFFFF;
    }

    static void u16(MemorySegment page, long offset, int value) {
        page.set(SHORT, offset, (short) value);
    }

    static int u8(MemorySegment page, long offset) {
        return page.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
    }

    static void u8(MemorySegment page, long offset, int value) {
        page.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
    }

    static long word(int kind, int offset, int rest, int payload) {
        return (long) kind << 56 | (long) payload << 36 | (long) offset << 16 | rest;
    }

    static long childWord(long child, int rest) {
        return (long) CHILD << 56 | child << 16 | rest;
    }

    static int kind(long word) {
        return (int) (word >>> 56);
    }

    static int rest(long word) {
        return (int) word & 0xFFFF;
    }

    static int offset(long word) {
        return (int) (word >>> 16) & OFFSET_MASK;
    }

    static int payload(long word) {
        return (int) (word >>> 36) & OFFSET_MASK;
    }

    static long childOf(long word) {
        return word >>> 16 & MAX_PAGE_ID;
    }

    static int tail(int rest) {
        return Math.max(0, rest - Long.BYTES);
    }

    static int heapBytes(long word) {
        return kind(word) == CHILD ? 0 : tail(rest(word)) + payload(word);
    }
}
