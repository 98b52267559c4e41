package io.kvstore.engine;

import java.util.List;

/**
 * The files that hold the state of a table at one lsn. What these files have of that state stays as it is until the
 * {@link HeldFile#lease} of each is given back, whatever the table does meanwhile: it makes checkpoints, merges files, and
 * gives space back. What a hold keeps does not count as the debt of the table, so no writer waits for it.
 *
 * <p>A hold takes space on the disk as long as it is open, so it is closed in a {@code finally}, and a file that was copied is
 * let go before that. The store closes the holds that are left when it is closed itself. For any thread.
 */
public interface FileHold extends AutoCloseable {

    /** The files of a state, each with a lease that was taken. */
    static FileHold of(long lsn, List<HeldFile> files) {
        return new Files(lsn, List.copyOf(files));
    }

    /** The files hold every operation up to this lsn, and nothing of a later one. */
    long lsn();

    /** All that is needed to open the table, and nothing else. */
    List<HeldFile> files();

    /** Bytes on the disk that are there for views and holds only, and that this hold keeps; roughly. */
    long pinnedBytes();

    /** Lets the files go that are left. Throws nothing. A second call does nothing. */
    @Override
    void close();

    /** A hold whose files have a lease each. */
    record Files(long lsn, List<HeldFile> files) implements FileHold {

        @Override
        public long pinnedBytes() {
            return files.stream().mapToLong(file -> file.lease().pinnedBytes()).sum();
        }

        @Override
        public void close() {
            files.forEach(file -> file.lease().giveBack());
        }
    }
}
