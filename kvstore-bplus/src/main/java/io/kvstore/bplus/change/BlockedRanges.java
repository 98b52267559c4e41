package io.kvstore.bplus.change;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.error.CorruptionException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of keys for which the tree lacks acknowledged changes, because a page on their path is damaged. Reads and writes
 * of such a range are refused from then on, even if the page can be read again. The log has the changes until the table is
 * opened again.
 */
public final class BlockedRanges {

    private final List<Blocked> all = new CopyOnWriteArrayList<>();

    private record Blocked(byte[] lower, byte @Nullable [] upper, CorruptionException cause) {

        boolean holds(byte[] key) {
            return KeyOrder.compare(key, lower) >= 0 && (upper == null || KeyOrder.compare(key, upper) < 0);
        }

        boolean meets(KeyRange range) {
            byte @Nullable [] from = range.lower();
            byte @Nullable [] to = range.upper();
            return (to == null || KeyOrder.compare(lower, to) <= 0)
                    && (from == null || upper == null || KeyOrder.compare(from, upper) < 0);
        }
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * Blocks a range of keys.
     *
     * @param key a key of the range, whose change could not be merged
     * @param upper the end of the range, exclusive; null for no bound
     */
    public void add(byte[] key, byte[] lower, byte @Nullable [] upper, CorruptionException cause) {
        if (!holds(key)) {
            all.add(new Blocked(lower, upper, cause));
        }
    }

    public boolean holds(byte[] key) {
        return all.stream().anyMatch(one -> one.holds(key));
    }

    /** @throws CorruptionException if the key is blocked */
    public void requireFree(byte[] key) {
        for (Blocked one : all) {
            if (one.holds(key)) {
                throw failure(one);
            }
        }
    }

    /** @throws CorruptionException if one of these keys is blocked */
    public void requireFree(List<Mutation> mutations) {
        if (!all.isEmpty()) {
            mutations.forEach(mutation -> requireFree(mutation.key()));
        }
    }

    /** @throws CorruptionException if a part of the range is blocked */
    public void requireFree(KeyRange range) {
        for (Blocked one : all) {
            if (one.meets(range)) {
                throw failure(one);
            }
        }
    }

    /** @throws CorruptionException if anything is blocked */
    public void requireNone() {
        if (!all.isEmpty()) {
            throw failure(all.getFirst());
        }
    }

    private static CorruptionException failure(Blocked one) {
        CorruptionException failure = new CorruptionException(
                one.cause.file(),
                one.cause.offset(),
                "a damaged page keeps acknowledged changes out of the tree, and the log has to keep them; restore the file"
                        + " and open the store again");
        failure.addSuppressed(one.cause);
        return failure;
    }
}
