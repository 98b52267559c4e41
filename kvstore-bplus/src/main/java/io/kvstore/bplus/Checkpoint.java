package io.kvstore.bplus;

import io.kvstore.bplus.file.Image;
import io.kvstore.bplus.file.Superblock;
import io.kvstore.engine.DurabilityBarrier;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a state of the tree to the file while writers go on.
 *
 * <p>It looks at the newest state, which freezes it: no page of it changes any more, so they can be written one by one,
 * whenever. Only pages that changed since the checkpoint before are looked for. When the last is in the file, the log is
 * made durable up to the state's lsn; then the superblock makes the state count; then the places of what it replaced are
 * free.
 */
final class Checkpoint {

    private final Image image;
    private final PageBuffer buffer;
    private final PageIds ids;
    private final Generations generations;
    private final DurabilityBarrier barrier;

    Checkpoint(Image image, PageBuffer buffer, PageIds ids, Generations generations, DurabilityBarrier barrier) {
        this.image = image;
        this.buffer = buffer;
        this.ids = ids;
        this.generations = generations;
        this.barrier = barrier;
    }

    /** Makes the newest state durable; one caller at a time. */
    void run() throws IOException {
        BitSet touched;
        BitSet live;
        Generations.Look look;
        synchronized (generations) {
            look = generations.look(Long.MAX_VALUE);
            touched = ids.takeTouched();
            live = ids.liveIds();
        }
        try (look) {
            addFar(touched, live);
            write(look.state(), touched, live);
        }
    }

    /** Pages that lie so far behind that the file could be much shorter count as changed. */
    private void addFar(BitSet touched, BitSet live) {
        for (int id = live.nextSetBit(0); id >= 0; id = live.nextSetBit(id + 1)) {
            if (image.isFar(image.location(id))) {
                touched.set(id);
            }
        }
    }

    private void write(Generations.State state, BitSet touched, BitSet live) throws IOException {
        Map<Long, Long> before = new HashMap<>();
        boolean committed = false;
        try {
            for (int id = touched.nextSetBit(0); id >= 0; id = touched.nextSetBit(id + 1)) {
                long location = live.get(id) ? placeOf(id) : 0;
                if (location != image.location(id)) {
                    before.put((long) id, image.location(id));
                    image.set(id, location);
                }
            }
            Superblock wanted = new Superblock(1, state.lsn(), state.rootId(), ids.next(), state.entries(), List.of());
            image.commit(wanted, () -> barrier.beforeCommitPoint(state.lsn()));
            committed = true;
        } finally {
            if (!committed) {
                before.forEach(image::set);
                ids.touchAgain(touched);
            }
        }
        for (long id : before.keySet()) {
            long replaced = ids.setDurable(id, image.location(id));
            if (replaced != 0) {
                image.pages().free(replaced);
            }
        }
        image.truncate();
    }

    private long placeOf(long id) throws IOException {
        long location = buffer.persist(id);
        if (location == 0) {
            throw new IllegalStateException("page " + id + " of a checkpoint is not there");
        }
        return image.isFar(location) ? buffer.move(id, location) : location;
    }
}
