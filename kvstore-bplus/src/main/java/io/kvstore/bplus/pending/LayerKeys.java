package io.kvstore.bplus.pending;

import io.kvstore.data.KeyHead;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Between which keys those of a layer lie. Where keys come in order, nearly all that is asked for lies outside of a layer, and
 * its hash table, which no cache of the processor holds, need not be looked at. One thread at a time adds keys; any thread
 * asks. A thread that knows of a change sees its key here, if the key was added before the change was published.
 */
final class LayerKeys {

    /** Heads of keys, as unsigned numbers. */
    private final AtomicLong least = new AtomicLong(-1);

    private final AtomicLong greatest = new AtomicLong(0);

    void add(byte[] key) {
        long head = KeyHead.of(key);
        if (Long.compareUnsigned(head, least.getPlain()) < 0) {
            least.setOpaque(head);
        }
        if (Long.compareUnsigned(head, greatest.getPlain()) > 0) {
            greatest.setOpaque(head);
        }
    }

    boolean mayHave(byte[] key) {
        long head = KeyHead.of(key);
        return Long.compareUnsigned(head, least.getOpaque()) >= 0
                && Long.compareUnsigned(head, greatest.getOpaque()) <= 0;
    }
}
