package io.kvstore.bplus.page;

import static io.kvstore.bplus.page.PageFormat.COUNT;
import static io.kvstore.bplus.page.PageFormat.HEADS;
import static io.kvstore.bplus.page.PageFormat.HINTS;
import static io.kvstore.bplus.page.PageFormat.HINT_COUNT;
import static io.kvstore.bplus.page.PageFormat.PREFIX_LENGTH;
import static io.kvstore.bplus.page.PageFormat.PREFIX_OFFSET;
import static io.kvstore.bplus.page.PageFormat.u16;
import static io.kvstore.bplus.page.PageFormat.u32;
import static io.kvstore.bplus.page.PageFormat.u64;
import static io.kvstore.bplus.page.PageFormat.u8;

import io.kvstore.bytes.ByteCopy;
import io.kvstore.data.KeyHead;
import io.kvstore.value.segment.ValuePointer;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads a page. Every method takes the page's memory, which may change while it is read. The answer is then wrong, or an
 * {@link IndexOutOfBoundsException} is thrown, but no method goes on for ever, allocates more than a page, or touches anything
 * else. A reader without a lock checks afterwards whether the page changed.
 *
 * <p>In an inner page an entry is a child and the least key that may be below it. Keys below the first entry's key also lead to
 * the first child.
 */
public final class Node {

    private static final int LINE_BYTES = 64;

    /**
     * For {@link #touch} before a search for one entry. Few other lines are read then, and asking for all of them would push
     * inner pages out of the processor's caches.
     */
    public static final int ONE_ENTRY_BYTES = LINE_BYTES;

    /** For {@link #touch} before many entries are read or moved: as long as the heads and words of most leaves. */
    public static final int MANY_ENTRIES_BYTES = 24 * LINE_BYTES;

    private static final VarHandle HEAD_OF_KEY =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Node() {}

    public static int count(MemorySegment page) {
        return u32(page, COUNT);
    }

    /** 0 for a leaf, one more for each level above. */
    public static int level(MemorySegment page) {
        return u8(page, PageFormat.LEVEL);
    }

    public static long id(MemorySegment page) {
        return u64(page, PageFormat.ID);
    }

    public static long lsn(MemorySegment page) {
        return u64(page, PageFormat.LSN);
    }

    /** How many bytes the keys of the page have in common at the beginning, as far as the page makes use of that. */
    public static int prefixLength(MemorySegment page) {
        return u16(page, PREFIX_LENGTH);
    }

    /** The eight bytes of an entry's key behind the prefix, as a number with zeros behind a shorter key. */
    public static long head(MemorySegment page, int index) {
        return u64(page, HEADS + (long) Long.BYTES * index);
    }

    /** All that a page of {@code count} entries has of one beside key and payload, for other methods of this class. */
    public static long word(MemorySegment page, int count, int index) {
        return u64(page, HEADS + (long) Long.BYTES * (count + index));
    }

    /** The index of the entry with the key. If there is none, {@code -1 - index} of the first entry behind the key. */
    public static int find(MemorySegment page, byte[] key) {
        int count = count(page);
        int prefix = u16(page, PREFIX_LENGTH);
        if (prefix > 0) {
            int order = comparePrefix(page, prefix, key);
            if (order != 0) {
                return order < 0 ? -1 : -1 - count;
            }
        }
        long head = KeyHead.of(key, prefix, key.length);
        int low = 0;
        int high = count;
        if (count > HINT_COUNT) {
            int hint = hintBelow(page, (int) (head >>> Integer.SIZE));
            low = hintIndex(hint, count);
            high = hint < HINT_COUNT ? hintIndexAbove(page, hint, (int) (head >>> Integer.SIZE), count) : count;
            // the word is near the wanted one: if it is asked for now, its line comes together with that of the heads
            if (low < high && word(page, count, low) == 0) {
                throw new IndexOutOfBoundsException("an entry without a word");
            }
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            long at = head(page, middle);
            int order = at == head
                    ? compareRest(page, word(page, count, middle), key, prefix)
                    : Long.compareUnsigned(at, head);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return -1 - low;
    }

    /**
     * Asks for memory of a leaf that is about to be read or changed, so that its lines come together and not one after the
     * other. The result means nothing, and is hardly ever 1.
     *
     * @param frames has the leaf from an offset on, which is {@code from}
     * @param bytes how many bytes of the leaf, from its beginning
     */
    public static int touch(MemorySegment frames, long from, int bytes) {
        int touched = 0;
        for (int at = 0; at < bytes; at += LINE_BYTES) {
            touched |= u32(frames, from + at);
        }
        return touched;
    }

    /** As {@link #touch}, for the heap of a leaf, which is read when many entries are read. */
    public static int touchHeap(MemorySegment page) {
        int begin = Math.clamp(u32(page, PageFormat.HEAP_START), 0, (int) page.byteSize());
        int end = (int) Math.min(page.byteSize(), begin + (long) MANY_ENTRIES_BYTES);
        int touched = 0;
        for (int at = begin & -LINE_BYTES; at < end; at += LINE_BYTES) {
            touched |= u32(page, at);
        }
        return touched;
    }

    /**
     * How many hints are below the upper half of a head. This is a binary search without branches: for keys in random order the
     * processor would guess every other branch wrong.
     */
    private static int hintBelow(MemorySegment page, int upper) {
        int below = 0;
        for (int step = HINT_COUNT / 2; step > 0; step /= 2) {
            below += step & belowMask(page, below + step - 1, upper);
        }
        return below - belowMask(page, below, upper);
    }

    /** -1 if a hint is below the upper half of a head, else 0. */
    private static int belowMask(MemorySegment page, int hint, int upper) {
        long at = Integer.toUnsignedLong(u32(page, HINTS + (long) Integer.BYTES * hint));
        return (int) ((at - Integer.toUnsignedLong(upper)) >> (Long.SIZE - 1));
    }

    /** The first entry that may be at or above a head, if {@code below} hints are below that head. */
    private static int hintIndex(int below, int count) {
        return below == 0 ? 0 : hinted(below - 1, count) + 1;
    }

    private static int hintIndexAbove(MemorySegment page, int hint, int upper, int count) {
        for (int i = hint; i < HINT_COUNT; i++) {
            if (u32(page, HINTS + (long) Integer.BYTES * i) != upper) {
                return hinted(i, count);
            }
        }
        return count;
    }

    static int hinted(int hint, int count) {
        return (int) ((long) (hint + 1) * count / (HINT_COUNT + 1));
    }

    /** Compares a key with the prefix: 0 if the key begins with it, less than 0 if the key is below, more if it is above. */
    private static int comparePrefix(MemorySegment page, int prefix, byte[] key) {
        long offset = u32(page, PREFIX_OFFSET);
        int common = Math.min(prefix, key.length);
        for (int i = 0; i < common; i++) {
            int order = (key[i] & 0xFF) - u8(page, offset + i);
            if (order != 0) {
                return order;
            }
        }
        return key.length < prefix ? -1 : 0;
    }

    /** Compares an entry with a key that has the same prefix and head. */
    private static int compareRest(MemorySegment page, long word, byte[] key, int prefix) {
        int rest = PageFormat.rest(word);
        int keyRest = key.length - prefix;
        int tail = PageFormat.tail(rest);
        int keyTail = PageFormat.tail(keyRest);
        if (tail > 0 && keyTail > 0) {
            long offset = PageFormat.offset(word);
            int keyAt = prefix + Long.BYTES;
            int common = Math.min(tail, keyTail);
            for (int i = 0; i < common; i++) {
                int order = u8(page, offset + i) - (key[keyAt + i] & 0xFF);
                if (order != 0) {
                    return order;
                }
            }
        }
        return rest - keyRest;
    }

    public static long childFor(MemorySegment page, byte[] key) {
        return child(page, childIndex(page, key));
    }

    public static int childIndex(MemorySegment page, byte[] key) {
        int found = find(page, key);
        return found >= 0 ? found : Math.max(0, -2 - found);
    }

    public static long child(MemorySegment page, int index) {
        long word = word(page, count(page), index);
        return PageFormat.kind(word) == PageFormat.CHILD
                ? PageFormat.childOf(word)
                : u64(page, PageFormat.offset(word) + (long) PageFormat.tail(PageFormat.rest(word)));
    }

    /** Whether the value of a leaf's entry is kept apart. */
    public static boolean isPointer(MemorySegment page, int index) {
        return isPointer(word(page, count(page), index));
    }

    /** As {@link #isPointer(MemorySegment, int)}, for an entry whose word is known. */
    public static boolean isPointer(long word) {
        return PageFormat.kind(word) == PageFormat.VALUE_POINTER;
    }

    /** The pointer to the value of a leaf's entry, or null if the value is in the leaf. */
    public static @Nullable ValuePointer pointer(MemorySegment page, int index) {
        long word = word(page, count(page), index);
        if (PageFormat.kind(word) != PageFormat.VALUE_POINTER) {
            return null;
        }
        long offset = PageFormat.offset(word) + (long) PageFormat.tail(PageFormat.rest(word));
        return ValuePointer.read(page, offset, PageFormat.payload(word));
    }

    /** The value of a leaf's entry, or the pointer to it, as a fresh array. */
    public static byte[] payload(MemorySegment page, int index) {
        return payloadOf(page, word(page, count(page), index));
    }

    /** As {@link #payload}, for an entry whose word is known. */
    public static byte[] payloadOf(MemorySegment page, long word) {
        byte[] result = new byte[PageFormat.payload(word)];
        long offset = PageFormat.offset(word) + (long) PageFormat.tail(PageFormat.rest(word));
        ByteCopy.toArray(page, offset, result, 0, result.length);
        return result;
    }

    /** The key of an entry, as a fresh array. */
    public static byte[] key(MemorySegment page, int index) {
        return keyOf(page, index, word(page, count(page), index));
    }

    /** As {@link #key}, for an entry whose word is known. */
    public static byte[] keyOf(MemorySegment page, int index, long word) {
        int prefix = u16(page, PREFIX_LENGTH);
        int rest = PageFormat.rest(word);
        byte[] result = new byte[prefix + rest];
        if (prefix > 0) {
            ByteCopy.toArray(page, u32(page, PREFIX_OFFSET), result, 0, prefix);
        }
        long head = head(page, index);
        if (rest >= Long.BYTES) {
            HEAD_OF_KEY.set(result, prefix, head);
        } else {
            for (int i = 0; i < rest; i++) {
                result[prefix + i] = (byte) (head >>> (56 - 8 * i));
            }
        }
        int tail = PageFormat.tail(rest);
        if (tail > 0) {
            ByteCopy.toArray(page, PageFormat.offset(word), result, prefix + rest - tail, tail);
        }
        return result;
    }
}
