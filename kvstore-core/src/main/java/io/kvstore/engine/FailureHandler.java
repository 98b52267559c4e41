package io.kvstore.engine;

/** Where background work reports a failure that is final, such as a failed sync. The store then stops accepting work. */
@FunctionalInterface
public interface FailureHandler {

    /** Fails the store. The first cause is kept. */
    void fail(Throwable cause);
}
