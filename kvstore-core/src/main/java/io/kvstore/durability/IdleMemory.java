package io.kvstore.durability;

import io.kvstore.engine.MemoryBudget;
import io.kvstore.engine.UnusedMemory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has memory given back that is not used, when others do not get any. What is not used is known by asking twice: so it rests
 * for a second at least before it goes. It goes when no call is under way that may still look at it.
 */
final class IdleMemory {

    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Who needs memory will need more of it soon; so much of all is given back at a time. */
    private static final int PART = 4;

    private final StoreServices services;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile long lastNanos;

    IdleMemory(StoreServices services) {
        this.services = services;
        this.lastNanos = services.clock().nanoTime();
    }

    /** Looks whether memory is short; called now and then. */
    void tick() {
        if (services.clock().nanoTime() - lastNanos >= ROUND_NANOS) {
            lastNanos = services.clock().nanoTime();
            if (services.memory().takeMissingBytes() > 0) {
                services.background().executeOnce(scheduled, this::ask);
            }
        }
    }

    private void ask() {
        try {
            MemoryBudget memory = services.memory();
            long wanted = memory.totalBytes() / PART;
            for (UnusedMemory holder : memory.unused()) {
                UnusedMemory.Given given = holder.giveBack(wanted);
                wanted = Math.max(0, wanted - given.bytes());
                services.calls().retire(() -> {
                    given.free().run();
                    services.background().waiter().signal();
                });
            }
        } finally {
            scheduled.set(false);
        }
    }
}
