package io.kvstore.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * Keys at equal distances in a row of proposals whose number nobody knows beforehand. Each {@code stride}-th proposal is kept.
 * When too many are kept, each second one of them is dropped, and the stride doubles. Not thread-safe.
 */
public final class Separators {

    /** The most bytes of all keys that are kept, but for the one that was added last. Of long keys fewer are kept. */
    public static final int MOST_BYTES = 4 << 20;

    private final int wanted;
    private List<byte[]> kept = new ArrayList<>();
    private long bytes;
    private long stride = 1;
    private long passing;

    /** @param wanted the fewest keys to keep if enough are proposed that are not long; fewer than twice as many are kept */
    public Separators(int wanted) {
        this.wanted = wanted;
    }

    /** How many proposals come before the next one that is kept. The caller need not look at them. */
    public long passing() {
        return passing;
    }

    /** Leaves out proposals, not more than {@link #passing}. */
    public void pass(long proposals) {
        passing -= proposals;
    }

    /** Keeps a proposal. None is to be passed before it. */
    public void add(byte[] key) {
        kept.add(key);
        bytes += key.length;
        passing = stride - 1;
        while (kept.size() >= 2 * wanted || bytes > MOST_BYTES) {
            halve();
        }
    }

    private void halve() {
        List<byte[]> half = new ArrayList<>();
        bytes = 0;
        for (int i = 1; i < kept.size(); i += 2) {
            half.add(kept.get(i));
            bytes += kept.get(i).length;
        }
        passing += kept.size() % 2 == 0 ? stride : 0;
        stride *= 2;
        kept = half;
    }

    /** Whether more proposals from nearer to the entries would hardly make the pieces more equal, or would not be kept. */
    public boolean isEnough() {
        return stride > 1 || 2 * kept.size() >= wanted;
    }

    /** The keys that are kept, in the order of the proposals. */
    public List<byte[]> keys() {
        return kept;
    }
}
