package io.kvstore.engine;

/** A caller of a long job, which tells it how far the job is and asks whether to go on. */
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
