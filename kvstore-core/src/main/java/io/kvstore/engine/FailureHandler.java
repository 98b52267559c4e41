package io.kvstore.engine;

/** Where background work reports a failure that is final, such as a failed sync: the store stops accepting work. */
@FunctionalInterface
public interface FailureHandler {

    /** Fails the store; the first cause is kept. */
    void fail(Throwable cause);
}
