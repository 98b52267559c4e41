package io.kvstore.engine;

import java.util.List;

/**
 * The files that hold the state of a table at one lsn. What these files have of that state stays as it is until this is closed,
 * whatever the table does meanwhile: it makes checkpoints, merges files, and gives space back. What a hold keeps does not count
 * as the debt of the table, so no writer waits for it.
 *
 * <p>A hold takes space on the disk as long as it is open, so it is closed in a {@code finally}. The store closes the holds
 * that are left when it is closed itself. For any thread.
 */
public interface FileHold extends AutoCloseable {

    /** The files hold every operation up to this lsn, and nothing of a later one. */
    long lsn();

    /** All that is needed to open the table, and nothing else. */
    List<HeldFile> files();

    /** Bytes on the disk that are there for views and holds only, and that this hold keeps; roughly. */
    long pinnedBytes();

    /** Lets the files go. Throws nothing. A second call does nothing. */
    @Override
    void close();
}
