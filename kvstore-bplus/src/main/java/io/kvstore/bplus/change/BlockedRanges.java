package io.kvstore.bplus.change;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.error.CorruptionException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Where the tree lacks changes that were acknowledged, because a page is damaged on their way. Nothing of such a range is
 * answered or taken any more, also if the page can be read again; the log has the changes until the table is opened again.
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
     * Changes of these keys cannot be made.
     *
     * @param key one of them, which shows that
     * @param lower the first of them
     * @param upper nothing from it on is among them; null for no bound
     */
    public void add(byte[] key, byte[] lower, byte @Nullable [] upper, CorruptionException cause) {
        if (!holds(key)) {
            all.add(new Blocked(lower, upper, cause));
        }
    }

    public boolean holds(byte[] key) {
        return all.stream().anyMatch(one -> one.holds(key));
    }

    /** @throws CorruptionException if nothing is to be said of the key */
    public void requireFree(byte[] key) {
        for (Blocked one : all) {
            if (one.holds(key)) {
                throw failure(one);
            }
        }
    }

    /** @throws CorruptionException if something is to be put where it cannot be */
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
