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
import org.jspecify.annotations.Nullable;

/** The incarnations that no table has any more and that nobody looks at. They are closed and deleted in the background. */
final class UnusedIncarnations {

    private final StoreServices services;
    private final Set<Incarnation> unused = ConcurrentHashMap.newKeySet();

    /** Those in which no call is under way. */
    private final Queue<Incarnation> left = new ConcurrentLinkedQueue<>();

    private final BackgroundTask sweeping;

    UnusedIncarnations(StoreServices services) {
        this.services = services;
        this.sweeping = new BackgroundTask(
                services.background().longWork(), services.background().waiter(), this::sweep);
    }

    /** An incarnation that comes here when it has lost its last owner. */
    Incarnation incarnation(TableInfo info, TableEngine engine) {
        return new Incarnation(info, engine, last -> {
            unused.add(last);
            services.calls().retire(() -> {
                left.add(last);
                sweeping.requestAgain();
            });
        });
    }

    /** Closes and deletes unused incarnations, one after the other. However many there are, other work goes on. */
    private void sweep() {
        for (Incarnation next = left.poll(); next != null; next = left.poll()) {
            if (unused.remove(next)) {
                discard(next.engine(), Schema.directoryOf(next.id()));
            }
        }
    }

    /** Takes those that were not deleted yet. */
    List<Incarnation> takeAll() {
        List<Incarnation> taken = new ArrayList<>();
        for (Incarnation incarnation : List.copyOf(unused)) {
            if (unused.remove(incarnation)) {
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
