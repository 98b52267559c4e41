package io.kvstore.lsm.compaction;

import java.io.IOException;

/** Thrown when a job ends early because it was told to. */
public final class StoppedException extends IOException {

    private static final long serialVersionUID = 1L;

    StoppedException() {
        super("stopped");
    }
}
