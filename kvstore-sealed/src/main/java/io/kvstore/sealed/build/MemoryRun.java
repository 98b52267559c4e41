package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import java.util.function.Consumer;

/** The entries of a buffer, of equal keys the one that was given last. */
final class MemoryRun implements Run {

    private final SortBuffer buffer;
    private final Consumer<byte[]> whenReplaced;
    private final int[] order;
    private int at = -1;

    /** @param whenReplaced is given the key of each entry that is left out, and may refuse it */
    MemoryRun(SortBuffer buffer, Consumer<byte[]> whenReplaced) {
        this.buffer = buffer;
        this.whenReplaced = whenReplaced;
        this.order = buffer.sorted();
    }

    @Override
    public boolean next() {
        at++;
        while (at + 1 < order.length && buffer.compareKeys(order[at], order[at + 1]) == 0) {
            whenReplaced.accept(key());
            at++;
        }
        return at < order.length;
    }

    @Override
    public byte[] key() {
        return buffer.key(order[at]).toArray();
    }

    @Override
    public Slice value() {
        return buffer.value(order[at]);
    }
}
