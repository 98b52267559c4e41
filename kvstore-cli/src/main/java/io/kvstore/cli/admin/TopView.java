package io.kvstore.cli.admin;

/** Shows what a store does, from one moment to the next. For use by one thread. */
interface TopView extends AutoCloseable {

    /** Shows what can be said of the first moment. */
    void begin(Moment first);

    void show(Moment before, Moment now);

    /** Waits for some time. Returns early, and true, if a person has asked for the end. */
    boolean await(long nanos);

    @Override
    void close();
}
