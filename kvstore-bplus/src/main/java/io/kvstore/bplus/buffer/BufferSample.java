package io.kvstore.bplus.buffer;

import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeEditor;
import io.kvstore.data.KeyHash;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Estimates of how a page buffer is used, from a sample of its pages and of the searches in it. If all searches were counted,
 * readers would write to one place all the time. For any thread.
 */
final class BufferSample {

    private static final int LOOKS_FOR_ONE_COUNTED = 64;
    private static final int PAGES_FOR_FILL = 512;

    private final LongAdder looks = new LongAdder();
    private final KeyHash keyHash;

    BufferSample(KeyHash keyHash) {
        this.keyHash = keyHash;
    }

    /** Called when a thread looked for this many pages on the way to a key. The hash of the key decides whether they count. */
    void looked(int pages, byte[] key) {
        if (keyHash.of(key) % LOOKS_FOR_ONE_COUNTED == 0) {
            looks.add((long) LOOKS_FOR_ONE_COUNTED * pages);
        }
    }

    /** The part of the pages that threads looked for and found in memory, if this many had to be read. */
    double hitRatio(long loads) {
        return Math.max(0, 1 - (double) loads / Math.max(1, looks.sum()));
    }

    /** The part of the bytes of leaves that is used. With the lock of the pages. */
    static double leafFill(List<Page> pages) {
        long bytes = 0;
        long free = 0;
        for (int i = 0; i < pages.size(); i += 1 + pages.size() / PAGES_FOR_FILL) {
            MemorySegment page = pages.get(i).bytes();
            boolean isLeaf = Node.level(page) == 0;
            bytes += isLeaf ? page.byteSize() : 0;
            free += isLeaf ? NodeEditor.freeBytes(page) : 0;
        }
        return bytes == 0 ? 0 : 1 - (double) free / bytes;
    }
}
