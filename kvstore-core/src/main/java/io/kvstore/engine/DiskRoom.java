package io.kvstore.engine;

import io.kvstore.error.Notices;
import io.kvstore.io.Storage;
import java.io.IOException;

/**
 * What the disk has left for one table, as of the last look: background work looks, writers ask. A disk can be smaller than
 * what the files of a table may take, and to give space back takes space. So what is dead may be half of all that is dead or
 * free, and work that brings space back always finds the other half.
 *
 * <p>Safe for use by several threads.
 */
public final class DiskRoom {

    private final Storage storage;
    private volatile long freeBytes = Long.MAX_VALUE;
    private volatile long mostDeadBytes = Long.MAX_VALUE;

    /** Nobody looked yet: there is room. */
    public DiskRoom(Storage storage) {
        this.storage = storage;
    }

    /**
     * Looks, which is a call of the system. Where the disk does not tell, there is room: whoever writes will find out.
     *
     * @param deadBytes what of the table's files is dead now, or will be
     * @param waitingBytes what is not on the disk yet and will be
     */
    public void look(long deadBytes, long waitingBytes) {
        try {
            long free = Math.max(0, storage.freeBytes() - waitingBytes);
            freeBytes = free;
            mostDeadBytes = deadBytes / 2 + free / 2;
        } catch (IOException e) {
            Notices.debug(DiskRoom.class, null, "the room on the disk is not known", e);
            freeBytes = Long.MAX_VALUE;
            mostDeadBytes = Long.MAX_VALUE;
        }
    }

    /** Bytes that were free, and nobody waited to write them. */
    public long freeBytes() {
        return freeBytes;
    }

    /** How much of the table's files may be dead, if nothing else limits that. */
    public long mostDeadBytes() {
        return mostDeadBytes;
    }
}
