package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.page.Node;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A leaf of a kept state. The leaf never changes, but its page may be evicted at any time, and is then looked for again. So
 * bytes that were read count only if the page is still there afterwards. For one thread.
 */
final class LeafView {

    private static final int UNLIKELY = 1;

    private final TreeReader reader;
    private final TreeVersions.State state;
    private final byte @Nullable [] lower;
    private final byte @Nullable [] upper;
    private final int count;
    private Page page;
    private long version;
    private long word;

    /** @param found the leaf as it was a moment ago */
    LeafView(TreeReader reader, TreeVersions.State state, TreeReader.Leaf found) {
        this.reader = reader;
        this.state = state;
        this.lower = found.lower();
        this.upper = found.upper();
        this.count = found.count();
        this.page = found.page();
        this.version = found.version();
    }

    int count() {
        return count;
    }

    /** Asks for the memory of the leaf's values, see {@link Node#touch}. */
    void touch() {
        if (Node.touchHeap(bytes()) == UNLIKELY) {
            Thread.onSpinWait(); // depends on the bytes that were read, or else they would not be read
        }
    }

    byte @Nullable [] lower() {
        return lower;
    }

    byte @Nullable [] upper() {
        return upper;
    }

    private MemorySegment bytes() {
        return page.bytes();
    }

    /** The place of a key, as {@link Node#find} says it. */
    int find(byte[] key) throws IOException {
        while (true) {
            try {
                int found = Node.find(bytes(), key);
                if (holds()) {
                    return found;
                }
            } catch (IndexOutOfBoundsException e) {
                reader.requireChanged(page, version, e);
            }
            findAgain();
        }
    }

    /** The key of an entry, as a fresh array. A call of {@link #value} that follows is about the same entry. */
    byte[] key(int index) throws IOException {
        while (true) {
            try {
                long found = Node.word(bytes(), count, index);
                byte[] key = Node.keyOf(bytes(), index, found);
                if (holds()) {
                    word = found;
                    return key;
                }
            } catch (IndexOutOfBoundsException e) {
                reader.requireChanged(page, version, e);
            }
            findAgain();
        }
    }

    /** The value of the entry whose key was read last, as a fresh array; null if it is kept apart. */
    byte @Nullable [] value() throws IOException {
        if (Node.isPointer(word)) {
            return null;
        }
        while (true) {
            try {
                byte[] value = Node.payloadOf(bytes(), word);
                if (holds()) {
                    return value;
                }
            } catch (IndexOutOfBoundsException e) {
                reader.requireChanged(page, version, e);
            }
            findAgain();
        }
    }

    /** The pointer to the value of an entry, or null if the value is in the leaf. */
    @Nullable
    ValuePointer pointer(int index) throws IOException {
        while (true) {
            try {
                ValuePointer pointer = Node.pointer(bytes(), index);
                if (holds()) {
                    return pointer;
                }
            } catch (IndexOutOfBoundsException e) {
                reader.requireChanged(page, version, e);
            }
            findAgain();
        }
    }

    private boolean holds() {
        return page.isUnchanged(version);
    }

    private void findAgain() throws IOException {
        TreeReader.Leaf found = reader.leaf(state, lower, false);
        page = found.page();
        version = found.version();
    }
}
