package io.kvstore.bplus.maintenance;

import io.kvstore.engine.TableContext;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file of zeros in the directory of a table of some size, for the day when the disk is full: giving space back takes a little
 * space. The file is deleted when a checkpoint or upkeep finds the disk full, and made again when there is room. Its contents
 * mean nothing; a crash may leave a part of it.
 */
final class Reserve {

    static final String NAME = "RESERVE";

    /** The file has this part of the slack. Values that wait in memory to be written fit into it, and pages. */
    private static final int SLACK_PART = 4;

    private static final int PIECE_BYTES = 1 << 20;

    /** A smaller table does not fill a disk. */
    static final long LEAST_TABLE_BYTES = 32 << 20;

    private final TableContext context;
    private final String path;
    private final long bytes;
    private final long worthwhileBytes;
    private boolean isHeld;

    /** @param slackBytes a table may take this beside twice its live bytes; if it takes fewer in all, it has no reserve */
    Reserve(TableContext context, long slackBytes) throws IOException {
        this.context = context;
        this.path = context.directory() + "/" + NAME;
        this.bytes = slackBytes / SLACK_PART;
        this.worthwhileBytes = Math.max(LEAST_TABLE_BYTES, slackBytes);
        this.isHeld = context.storage().exists(path);
    }

    /** Makes the file, if the table is large enough for it. */
    synchronized void take(long tableBytes) {
        if (isHeld || tableBytes < worthwhileBytes) {
            return;
        }
        isHeld = true;
        try (StorageFile file = context.storage().create(path)) {
            for (long at = 0; at < bytes; at += PIECE_BYTES) {
                file.write(ByteBuffer.allocate((int) Math.min(PIECE_BYTES, bytes - at)), at);
            }
        } catch (IOException e) {
            Notices.debug(Reserve.class, path, "it cannot be made now", e);
            giveUp();
        }
    }

    /** Deletes the file. Returns whether there was one. */
    synchronized boolean giveUp() {
        if (!isHeld) {
            return false;
        }
        try {
            context.storage().delete(path);
            isHeld = false;
            return true;
        } catch (IOException e) {
            Notices.warning(Reserve.class, path, "it could not be deleted", e);
            return false;
        }
    }

    /** Does the work. If the disk is full, gives up the reserve and does the work once more. */
    void with(Maintenance.Work work) throws IOException {
        try {
            work.run();
        } catch (NoSpaceException e) {
            if (!giveUp()) {
                throw e;
            }
            work.run();
        }
    }
}
