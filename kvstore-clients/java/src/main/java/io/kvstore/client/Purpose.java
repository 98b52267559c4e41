package io.kvstore.client;

import io.kvstore.client.error.Outcome;

/** What a call is for, which decides what may be done when it breaks. */
enum Purpose {
    /** Makes a connection ready for the call that is meant; when it breaks, nothing of that was sent. */
    PREPARE(Outcome.REJECTED),
    /** Changes nothing. */
    READ(Outcome.FAILED),
    /** May change something. */
    WRITE(Outcome.UNKNOWN);

    private final Outcome whenLost;

    Purpose(Outcome whenLost) {
        this.whenLost = whenLost;
    }

    /** What became of a call that was sent and not answered. */
    Outcome whenLost() {
        return whenLost;
    }
}
