package io.kvstore.durability;

import io.kvstore.catalog.TableInfo;
import io.kvstore.engine.TableEngine;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One id of a table with its engine. A truncate gives the table another incarnation. The old incarnation lives until the last
 * snapshot and cursor on it is closed. An incarnation begins with one reference, which belongs to its table.
 */
final class Incarnation {

    private volatile TableInfo info;
    private final TableEngine engine;
    private final Consumer<Incarnation> whenUnused;
    private final AtomicInteger references = new AtomicInteger(1);

    /** @param whenUnused is given this once, when the last reference is released */
    Incarnation(TableInfo info, TableEngine engine, Consumer<Incarnation> whenUnused) {
        this.info = info;
        this.engine = engine;
        this.whenUnused = whenUnused;
    }

    TableInfo info() {
        return info;
    }

    /** Takes another name or other parameters; the id stays. */
    void redefine(TableInfo changed) {
        info = changed;
    }

    int id() {
        return info.id();
    }

    TableEngine engine() {
        return engine;
    }

    /** Adds a reference. The caller has the table's write lock or a reference, so it knows that there is one already. */
    void retain() {
        references.incrementAndGet();
    }

    /** Adds a reference, unless the last one is gone: then the table has, or will at once have, another incarnation or none. */
    boolean tryRetain() {
        return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Gives a reference back. Returns whether it was the last one. */
    boolean release() {
        boolean isLast = references.decrementAndGet() == 0;
        if (isLast) {
            whenUnused.accept(this);
        }
        return isLast;
    }
}
