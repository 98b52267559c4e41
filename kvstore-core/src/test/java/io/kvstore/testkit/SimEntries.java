package io.kvstore.testkit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The changes of directory entries that are not durable yet, in order. Guarded by the monitor of the {@link SimStorage}. */
final class SimEntries {

    private final List<Change> pending = new ArrayList<>();

    /**
     * An entry that was made, removed or moved.
     *
     * @param from where the entry was, or null
     * @param to where the entry is, or null
     */
    record Change(
            long order, @Nullable Place from, @Nullable Place to, SimNode node, Set<SimDirectory> unsynced) {

        void applyTo(Function<SimDirectory, NavigableMap<String, SimNode>> entries) {
            if (from != null) {
                entries.apply(from.directory()).remove(from.name(), node);
            }
            if (to != null) {
                entries.apply(to.directory()).put(to.name(), node);
            }
        }
    }

    /** A name in a directory. */
    record Place(SimDirectory directory, String name) {}

    List<Change> pending() {
        return pending;
    }

    /** Makes a change that the system shows at once. */
    void change(long order, @Nullable Place from, @Nullable Place to, SimNode node) {
        Set<SimDirectory> unsynced = new HashSet<>();
        if (from != null) {
            unsynced.add(from.directory());
        }
        if (to != null) {
            unsynced.add(to.directory());
        }
        Change change = new Change(order, from, to, node, unsynced);
        change.applyTo(directory -> directory.entries);
        pending.add(change);
    }

    /** Makes the changes of a directory durable; a move between two needs both. */
    void sync(SimDirectory directory) {
        for (Iterator<Change> all = pending.iterator(); all.hasNext(); ) {
            Change change = all.next();
            if (change.unsynced().remove(directory) && change.unsynced().isEmpty()) {
                change.applyTo(synced -> synced.durable);
                all.remove();
            }
        }
    }

    /** The same changes between other nodes. */
    void copyTo(SimEntries other, Map<SimNode, SimNode> copies) {
        for (Change change : pending) {
            Set<SimDirectory> unsynced = new HashSet<>();
            for (SimDirectory directory : change.unsynced()) {
                unsynced.add((SimDirectory) copyOf(copies, directory));
            }
            other.pending.add(new Change(
                    change.order(),
                    copy(change.from(), copies),
                    copy(change.to(), copies),
                    copyOf(copies, change.node()),
                    unsynced));
        }
    }

    private static @Nullable Place copy(@Nullable Place place, Map<SimNode, SimNode> copies) {
        return place == null ? null : new Place((SimDirectory) copyOf(copies, place.directory()), place.name());
    }

    private static SimNode copyOf(Map<SimNode, SimNode> copies, SimNode node) {
        SimNode copy = copies.get(node);
        if (copy == null) {
            throw new IllegalStateException("a node was not copied");
        }
        return copy;
    }
}
