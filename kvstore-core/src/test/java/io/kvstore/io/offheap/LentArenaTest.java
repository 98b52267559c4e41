package io.kvstore.io.offheap;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

final class LentArenaTest {

    private static final int BYTES = 4 << 20;
    private static final int PART = 1 << 10;

    private final Arena arena = Arena.ofShared();
    private final ByteBuffer kept = arena.allocate(BYTES).asByteBuffer();

    /** A checksum keeps the arena from being closed as long as it is computed. */
    @Test
    void a_kept_buffer_that_is_used_again_and_again_ends_with_the_arena() throws Exception {
        AtomicInteger uses = new AtomicInteger();
        AtomicBoolean isOver = new AtomicBoolean();
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            Future<?> using = other.submit(() -> {
                CRC32C crc = new CRC32C();
                while (!isOver.get()) {
                    crc.update(kept.duplicate().limit(PART));
                    uses.incrementAndGet();
                    for (int i = 0; i < 1_000; i++) {
                        Thread.onSpinWait(); // in use for a small part of the time
                    }
                }
                return null;
            });
            while (uses.get() < 10) {
                Thread.onSpinWait();
            }
            try {
                LentArena.close(arena);
            } catch (IllegalStateException e) {
                isOver.set(true); // so that the other thread ends
                throw e;
            }
            assertFalse(arena.scope().isAlive());
            ExecutionException end = assertThrows(ExecutionException.class, using::get);
            assertTrue(end.getCause() instanceof IllegalStateException, end.toString());
        }
    }

    @Test
    void a_transfer_that_waits_for_its_peer_keeps_the_memory() throws Exception {
        Pipe pipe = Pipe.open();
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            Future<Integer> writing = other.submit(() -> pipe.sink().write(kept.duplicate()));
            ByteBuffer first = ByteBuffer.allocate(1);
            pipe.source().read(first); // the other thread is inside of its write
            assertThrows(IllegalStateException.class, () -> LentArena.close(arena));
            assertTrue(arena.scope().isAlive());
            ByteBuffer rest = ByteBuffer.allocate(BYTES);
            while (rest.position() < BYTES - 1) {
                pipe.source().read(rest);
            }
            assertTrue(writing.get() > 0);
        }
        LentArena.close(arena);
        assertFalse(arena.scope().isAlive());
        assertThrows(IllegalStateException.class, () -> LentArena.close(arena), "a second time");
    }
}
