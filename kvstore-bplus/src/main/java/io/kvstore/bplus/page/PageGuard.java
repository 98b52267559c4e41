package io.kvstore.bplus.page;

import io.kvstore.data.KeyOrder;
import io.kvstore.value.segment.ValuePointer;
import java.lang.foreign.MemorySegment;

/** One look at a page that was read from a file, before anything rests on it. See {@link PageCheck#isSound}. */
final class PageGuard {

    private final MemorySegment page;
    private final int size;
    private final int count;
    private final int heapStart;
    private final int prefix;
    private final boolean isInner;

    PageGuard(MemorySegment page) {
        this.page = page;
        this.size = (int) page.byteSize();
        this.count = Node.count(page);
        this.heapStart = PageFormat.u32(page, PageFormat.HEAP_START);
        this.prefix = Node.prefixLength(page);
        this.isInner = Node.level(page) > 0;
    }

    boolean isSound() {
        return isHeadSound() && areEntriesSound() && areHintsSound();
    }

    private boolean isHeadSound() {
        boolean isFree = PageFormat.u16(page, PageFormat.UNITS) * PageFormat.UNIT_BYTES == size
                && PageFormat.u8(page, PageFormat.FLAGS) == 0
                && count >= (isInner ? 1 : 0)
                && heapStart <= size
                && PageFormat.HEADS + 2L * Long.BYTES * count <= heapStart;
        int prefixAt = PageFormat.u32(page, PageFormat.PREFIX_OFFSET);
        return isFree
                && (prefix <= PageFormat.MAX_SHORT_PREFIX_BYTES
                        ? prefix == 0 || prefixAt == PageFormat.SHORT_PREFIX
                        : prefixAt >= heapStart && prefixAt <= size - prefix);
    }

    private boolean areEntriesSound() {
        long used = prefix <= PageFormat.MAX_SHORT_PREFIX_BYTES ? 0 : prefix;
        int mostRest = KeyOrder.MAX_KEY_BYTES - prefix;
        long lastHead = 0;
        for (int i = 0; i < count; i++) {
            long head = Node.head(page, i);
            long word = Node.word(page, count, i);
            int rest = PageFormat.rest(word);
            boolean isPadded = rest >= Long.BYTES || (head << (Byte.SIZE * rest)) == 0;
            if (!isPadded || rest > mostRest || !isPayloadSound(word, rest)) {
                return false;
            }
            if (Long.compareUnsigned(lastHead, head) >= 0 && i > 0 && !(head == lastHead && isBelow(i - 1, word))) {
                return false;
            }
            used += PageFormat.heapBytes(word);
            lastHead = head;
        }
        return used + PageFormat.u32(page, PageFormat.HEAP_DEAD) == size - heapStart;
    }

    private boolean isPayloadSound(long word, int rest) {
        int kind = PageFormat.kind(word);
        if (kind == PageFormat.CHILD) {
            return isInner && rest <= Long.BYTES && PageFormat.childOf(word) > 0;
        }
        int offset = PageFormat.offset(word);
        int length = PageFormat.payload(word);
        int bytes = PageFormat.tail(rest) + length;
        if (bytes > 0 && (offset < heapStart || offset > size - bytes)) {
            return false;
        }
        if (kind == PageFormat.INLINE) {
            return !isInner;
        }
        int payloadAt = offset + bytes - length;
        return isInner
                ? kind == PageFormat.CHILD_IN_HEAP && length == Long.BYTES && isChild(payloadAt)
                : kind == PageFormat.VALUE_POINTER && ValuePointer.isAt(page, payloadAt, length);
    }

    private boolean isChild(int at) {
        long child = PageFormat.u64(page, at);
        return child > 0 && child <= PageFormat.MAX_PAGE_ID;
    }

    /** Whether the key of an entry is below that of the next one, which has the same head. */
    private boolean isBelow(int index, long right) {
        long left = Node.word(page, count, index);
        int leftTail = PageFormat.tail(PageFormat.rest(left));
        int rightTail = PageFormat.tail(PageFormat.rest(right));
        int common = Math.min(leftTail, rightTail);
        long leftAt = PageFormat.offset(left);
        long rightAt = PageFormat.offset(right);
        for (int i = 0; i < common; i++) {
            int order = PageFormat.u8(page, leftAt + i) - PageFormat.u8(page, rightAt + i);
            if (order != 0) {
                return order < 0;
            }
        }
        return PageFormat.rest(left) < PageFormat.rest(right);
    }

    private boolean areHintsSound() {
        for (int i = 0; count > PageFormat.HINT_COUNT && i < PageFormat.HINT_COUNT; i++) {
            int hint = PageFormat.u32(page, PageFormat.HINTS + (long) Integer.BYTES * i);
            if (hint != (int) (Node.head(page, Node.hinted(i, count)) >>> Integer.SIZE)) {
                return false;
            }
        }
        return true;
    }
}
