package io.kvstore.engine;

/** Is told how far a long job is, and decides whether the job goes on. */
public interface Progress {

    /** For a job that nobody watches. */
    Progress NONE = (done, total) -> true;

    /**
     * Tells how far the job is.
     *
     * @param done bytes done until now
     * @param total bytes in all, as far as known now
     * @return false to stop the job at the next safe point
     */
    boolean advanced(long done, long total);
}
