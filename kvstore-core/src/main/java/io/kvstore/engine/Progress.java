package io.kvstore.engine;

/** Told how far a long job is, and asked whether to go on. */
public interface Progress {

    /** A job nobody watches. */
    Progress NONE = (done, total) -> true;

    /**
     * Tells how far the job is.
     *
     * @param done bytes done so far
     * @param total bytes in all, as far as is known now
     * @return false to stop at the next safe point
     */
    boolean advanced(long done, long total);
}
