package io.kvstore.engine;

import io.kvstore.error.Notices;
import io.kvstore.io.Storage;
import java.io.IOException;

/**
 * The free space of the disk for one table, as of the last look. Background work looks, and writers ask for the result. A disk
 * can be smaller than the size that the files of a table may reach, and work that brings space back needs space itself. So dead
 * bytes may take half of all bytes that are dead or free. Work that brings space back always finds the other half.
 *
 * <p>Safe for use by several threads.
 */
public final class DiskRoom {

    private final Storage storage;
    private volatile long freeBytes = Long.MAX_VALUE;
    private volatile long mostDeadBytes = Long.MAX_VALUE;

    /** Before the first look there is room. */
    public DiskRoom(Storage storage) {
        this.storage = storage;
    }

    /**
     * Asks the system for the free space of the disk. If the system does not tell, there is room: a writer will find out.
     *
     * @param deadBytes bytes of the table's files that are dead now, or will be
     * @param waitingBytes bytes that are not on the disk yet and will be
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

    /** The bytes that were free at the last look, without the space for bytes that waited to be written. */
    public long freeBytes() {
        return freeBytes;
    }

    /** The most bytes of the table's files that may be dead, if nothing else limits them. */
    public long mostDeadBytes() {
        return mostDeadBytes;
    }
}
