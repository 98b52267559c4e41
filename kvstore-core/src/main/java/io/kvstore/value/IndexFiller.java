package io.kvstore.value;

import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.UnusedMemory;
import io.kvstore.value.index.HashIndex;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the hash index of a table is made, grows, and is filled by a walk over the keys, and does so. It is made and
 * filled when many gets had to search, and it grows with the table. All of its memory goes to others that lack some when no get
 * used it for a while.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>The index gets other memory, or none, only while no operation is under way. It gives its memory away between two runs
 *       only.
 *   <li>A walk begins at the first key. The index keeps its size until the walk ends.
 *   <li>An index that knew all keys before it grew is filled again at once.
 * </ol>
 *
 * <p>One thread at a time calls {@link #run}. All other methods are for any thread.
 */
public final class IndexFiller implements UnusedMemory, AutoCloseable {

    /** After this number of gets that had to search, or after as many as there are keys, a walk is considered. */
    private static final long MANY_SEARCHES = 10_000;

    /** The keys are counted once in this number of searches, because that takes some time. */
    private static final int SEARCHES_CHECK = 1 << 6;

    /** During a walk this many times as many searches have to come before another one is considered. */
    private static final long MOST_PATIENCE = 1 << 10;

    /** As {@link #MOST_PATIENCE}, after a walk that failed. It doubles with each failure: a full disk passes, damage stays. */
    private static final long LEAST_PATIENCE = 1 << 3;

    private final MemoryBudget memory;
    private final ValueIndex index;
    private final HashIndex places;
    private final Keys keys;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean closed;

    /** Whether gets asked for a walk since the last one began. */
    private volatile boolean isWalkWanted;

    // of the last walk
    private volatile long walkedKeys;
    private volatile long walkedBytes;
    private volatile long patience = 1;

    /** Whether it told of a part of the keys only, because it is under way, or failed. */
    private volatile boolean isPartial;

    private long patienceAfterFailure = LEAST_PATIENCE;

    /** The keys of a table, of which its index is told. */
    public interface Keys {

        /** How many keys the index could know, roughly. For any thread. */
        long count();

        /** Whether the index may take more memory than was set aside for it. */
        default boolean mayTake() {
            return true;
        }

        /** Calls {@link HashIndex#grow} while no operation is under way. */
        void grow() throws IOException;

        /**
         * Tells the index of some keys, a few at a time, and none while an operation is under way. Says that it is
         * {@linkplain HashIndex#filled filled} after the last one if it was told of every key.
         *
         * @param from the first of these keys
         * @return the key to go on from; null at the end
         */
        byte @Nullable [] tell(byte[] from) throws IOException;

        /** Does quick work, unless an operation is under way. */
        void tryBetweenOperations(Runnable work);
    }

    /** Begins to wait for gets that have to search. */
    public IndexFiller(MemoryBudget memory, ValueIndex index, Keys keys) {
        this.memory = memory;
        this.index = index;
        this.places = index.places();
        this.keys = keys;
        memory.add(this);
    }

    /** Called after a get. Returns whether a run is worth it because many gets had to search. */
    public boolean isWanted() {
        long searches = index.searches.get();
        if (searches > 0 && searches % SEARCHES_CHECK == 0) {
            long count = keys.count();
            if (searches >= patience * Math.min(MANY_SEARCHES, count)) {
                index.searches.reset();
                if (isWalkDue(count)) {
                    isWalkWanted = true;
                }
            }
        }
        return isWalkWanted;
    }

    /** Another walk does not help before there are many more keys, or more room for them. */
    private boolean isWalkDue(long count) {
        boolean isNew = count > 2 * walkedKeys || places.bytes() > walkedBytes;
        boolean missesSome = !places.isFilled() && (isPartial || places.missesSome(count) || places.wantsMore(count));
        return count > 0 && (places.bytes() == 0 || (isNew && missesSome));
    }

    /** Called after some writes. Returns whether a run is worth it, also because there are many more keys. */
    public boolean isDue() {
        return isWalkWanted || (places.wantsMore(keys.count()) && keys.mayTake());
    }

    /** Makes the index as large as it should be, and fills it if that is due. */
    public void run() throws IOException {
        if (!busy.compareAndSet(false, true)) {
            return; // its memory is being given back
        }
        boolean walks = isWalkWanted;
        isWalkWanted = false;
        try {
            if (walks) {
                places.askFor();
            }
            if (places.prepare(keys.count(), keys.mayTake())) {
                walks |= places.isFilled();
                keys.grow();
            }
            if (walks && places.bytes() > 0) {
                walk();
            }
        } finally {
            if (walks) {
                isWalkWanted = false; // gets asked for it all the time
            }
            busy.set(false);
        }
    }

    private void walk() throws IOException {
        patience = MOST_PATIENCE;
        walkedKeys = 0;
        walkedBytes = 0;
        isPartial = true;
        try {
            byte[] from = new byte[0];
            while (from != null && !closed) {
                from = keys.tell(from);
            }
            walkedKeys = keys.count();
            walkedBytes = places.bytes();
            isPartial = false;
        } finally {
            patience = isPartial ? patienceAfterFailure : 1;
            patienceAfterFailure = isPartial ? Math.min(MOST_PATIENCE, 2 * patienceAfterFailure) : LEAST_PATIENCE;
        }
    }

    @Override
    public boolean isUnused() {
        return places.isUnused();
    }

    @Override
    public Given giveBackAny(long wantedBytes) {
        Given[] given = {Given.NONE};
        if (places.hasMemory() && busy.compareAndSet(false, true)) {
            try {
                keys.tryBetweenOperations(() -> given[0] = places.giveBack());
            } finally {
                busy.set(false);
            }
        }
        return given[0];
    }

    /** Lets a run end soon, and gives nothing back any more. */
    @Override
    public void close() {
        closed = true;
        memory.remove(this);
    }
}
