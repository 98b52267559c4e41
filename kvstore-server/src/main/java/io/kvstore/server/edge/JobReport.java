package io.kvstore.server.edge;

import io.kvstore.BackupInfo;
import io.kvstore.engine.Findings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is at one moment.
 *
 * @param id never used twice by a server
 * @param seconds since it began, up to its end
 * @param progress how far it is; null if it does not tell, or not yet
 * @param findings of a job that checks, when it has ended
 * @param made by a backup that has ended well
 * @param failure of a job that has failed
 */
public record JobReport(
        long id,
        JobRequest request,
        State state,
        double seconds,
        @Nullable Done progress,
        @Nullable Findings findings,
        @Nullable BackupInfo made,
        @Nullable Failure failure) {

    /** What became of the job until now. */
    public enum State {
        RUNNING,
        DONE,
        FAILED,
        CANCELLED;

        /** The name for clients of HTTP. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How far a job is, of how much. */
    public record Done(long bytes, long totalBytes) {}

    /**
     * Why a job failed.
     *
     * @param id under which the log of the server has the cause
     */
    public record Failure(Problem problem, String id) {}

    public boolean isRunning() {
        return state == State.RUNNING;
    }
}
