package io.kvstore.io.offheap;

import java.lang.foreign.Arena;

/**
 * Closes an arena whose memory was shown to code of the user. A buffer that such code kept throws after that. While a kept
 * buffer is passed to a channel or a checksum, its arena cannot be closed, so closing it is tried again for some milliseconds.
 * After that the memory stays until the process ends: the transfer waits for a peer, or for a slow disk.
 */
public final class LentArena {

    private static final int MOST_TRIES = 1_000;

    private LentArena() {}

    /**
     * Closes the arena.
     *
     * @throws IllegalStateException if a kept buffer is in use all the time; the memory is never given back then
     */
    public static void close(Arena arena) {
        for (int tries = 1; !tryClose(arena, tries == MOST_TRIES); tries++) {
            Thread.onSpinWait();
        }
    }

    private static boolean tryClose(Arena arena, boolean isLast) {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException e) {
            if (isLast || !arena.scope().isAlive()) {
                throw e;
            }
            return false;
        }
    }
}
