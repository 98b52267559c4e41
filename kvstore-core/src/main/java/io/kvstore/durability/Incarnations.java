package io.kvstore.durability;

import io.kvstore.catalog.TableInfo;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Notices;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The incarnations of a store, until they are closed. Those that no table has any more, and that nobody looks at, are closed
 * and deleted in the background. Closing the store closes all others, however they came to have no table.
 */
final class Incarnations {

    private final StoreServices services;

    /** A thread that takes one out closes it. */
    private final Set<Incarnation> open = ConcurrentHashMap.newKeySet();

    /** Those that are unused and in which no call is under way. */
    private final Queue<Incarnation> left = new ConcurrentLinkedQueue<>();

    private final Consumer<Incarnation> whenUnused = this::unused;
    private final BackgroundTask sweeping;

    Incarnations(StoreServices services) {
        this.services = services;
        this.sweeping = new BackgroundTask(
                services.background().longWork(), services.background().waiter(), this::sweep);
    }

    /** Makes an incarnation. It is deleted when it has lost its last owner. */
    Incarnation incarnation(TableInfo info, TableEngine engine) {
        Incarnation made = new Incarnation(info, engine, whenUnused);
        open.add(made);
        return made;
    }

    /** The caller closes an incarnation that no table got. */
    void forget(Incarnation made) {
        open.remove(made);
    }

    /** Throws nothing: the change that gave it up is made. Without memory its files stay until the store is closed. */
    private void unused(Incarnation last) {
        try {
            services.calls().retire(() -> {
                left.add(last);
                sweeping.requestAgain();
            });
        } catch (Throwable e) {
            Notices.warning(
                    Incarnations.class, null, "files of a table that is gone stay until the store is closed", e);
        }
    }

    /** Closes and deletes unused incarnations, one after the other. However many there are, other work goes on. */
    private void sweep() {
        for (Incarnation next = left.poll(); next != null && !sweeping.isClosed(); next = left.poll()) {
            if (open.remove(next)) {
                discard(next.engine(), Schema.directoryOf(next.id()));
            }
        }
    }

    /**
     * Takes all that were not closed yet. Waits for one that is being deleted: when a store has closed, nothing of it may be at
     * work in its directory, also where its background goes on for other stores.
     */
    List<Incarnation> takeAll() {
        sweeping.close();
        List<Incarnation> taken = new ArrayList<>();
        for (Incarnation incarnation : List.copyOf(open)) {
            if (open.remove(incarnation)) {
                taken.add(incarnation);
            }
        }
        return taken;
    }

    void discard(@Nullable TableEngine engine, String directory) {
        try {
            try (engine) {
                // the engine is closed before its files are deleted
            }
            services.storage().deleteTree(directory);
        } catch (Throwable e) {
            Notices.warning(Schema.class, directory, "files of a table that is gone stay until the next open", e);
        }
    }
}
