package io.kvstore.client;

import io.kvstore.client.error.Outcome;

/** The purpose of a call. It decides which outcome a broken call has, and whether the call may be repeated. */
enum Purpose {
    /** The call makes a connection ready for another call. If it breaks, nothing of the other call was sent. */
    PREPARE(Outcome.REJECTED),
    /** The call changes nothing. */
    READ(Outcome.FAILED),
    /** The call may change something. */
    WRITE(Outcome.UNKNOWN);

    private final Outcome whenLost;

    Purpose(Outcome whenLost) {
        this.whenLost = whenLost;
    }

    /** The outcome of a call that was sent and not answered. */
    Outcome whenLost() {
        return whenLost;
    }
}
