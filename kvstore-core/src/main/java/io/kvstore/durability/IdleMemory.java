package io.kvstore.durability;

import io.kvstore.engine.BackgroundTask;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.UnusedMemory;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Has unused memory given back when others are refused memory: about as many bytes as they lacked. Tables that nobody used for
 * half a second give first. Then the other tables give the parts that nobody used between two rounds, a second apart. So a
 * table that is used now and then keeps its pages beside one that needs more memory than there is. Memory is freed when no
 * call is under way that may still look at it.
 */
final class IdleMemory {

    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** At most this part of all memory is given back at a time. A scan that is refused again and again does not need it. */
    private static final int PART = 4;

    private final StoreServices services;
    private final BackgroundTask looking;

    /** Since when each holder has been found unused at every look. */
    private final Map<UnusedMemory, Long> restingSince = new WeakHashMap<>();

    /** Bytes given back at the last look. Missing until they were free, they may be among the reported missing bytes. */
    private long lastGivenBytes;

    private long lastRoundNanos;
    private long wantedOfRound;

    IdleMemory(StoreServices services) {
        this.services = services;
        this.lastRoundNanos = services.clock().nanoTime();
        this.looking =
                new BackgroundTask(services.background(), services.background().waiter(), this::look);
    }

    void tick() {
        if (services.memory().isNearlyTaken() || services.memory().isMissed()) {
            looking.request();
        }
    }

    private void look() {
        noteUse();
        if (services.memory().isMissed() || wantedOfRound > 0) {
            ask();
        }
    }

    private void noteUse() {
        long now = services.clock().nanoTime();
        for (UnusedMemory holder : services.memory().unused()) {
            if (holder.isUnused()) {
                restingSince.putIfAbsent(holder, now);
            } else {
                restingSince.remove(holder);
            }
        }
    }

    /** Asks holders for the missing bytes. A table at rest gives none for bytes of long ago: it may have lacked them itself. */
    private void ask() {
        MemoryBudget memory = services.memory();
        long mostBytes = memory.totalBytes() / PART;
        long now = services.clock().nanoTime();
        long wanted = Math.min(mostBytes, memory.takeMissingBytes() - lastGivenBytes);
        lastGivenBytes = 0;
        for (UnusedMemory holder : memory.unused()) {
            if (wanted > 0 && isAtRest(holder, now)) {
                wanted -= free(holder.giveBackAny(wanted));
            }
        }
        wantedOfRound = Math.min(mostBytes, wantedOfRound + Math.max(0, wanted));
        if (now - lastRoundNanos >= ROUND_NANOS) {
            lastRoundNanos = now;
            for (UnusedMemory holder : memory.unused()) {
                wantedOfRound -= free(holder.giveBack(Math.max(0, wantedOfRound)));
            }
            wantedOfRound = 0;
        }
    }

    private boolean isAtRest(UnusedMemory holder, long now) {
        Long since = restingSince.get(holder);
        return since != null && now - since >= REST_NANOS;
    }

    /** Frees given memory once no call can still look at it. Returns the number of bytes. */
    private long free(UnusedMemory.Given given) {
        if (given.bytes() > 0) {
            lastGivenBytes += given.bytes();
            services.calls().retire(() -> {
                given.free().run();
                services.background().waiter().signal();
            });
        }
        return given.bytes();
    }
}
