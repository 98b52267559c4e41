package io.kvstore.testkit;

/** A handle that can be told that a sync of it failed. */
interface LosesUnsynced {

    /** What was not durable is lost, in one way or another. */
    void loseUnsynced(SyncLoss loss);
}
