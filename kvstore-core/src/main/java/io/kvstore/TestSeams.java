package io.kvstore;

import io.kvstore.data.Clock;
import io.kvstore.engine.Background;
import io.kvstore.io.Storage;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a store that tests replace. Part of {@link KVStoreOptions}.
 *
 * @param storage where files are kept; null for the directory that is opened
 * @param clock elapsed time
 * @param background threads and waits; null for threads of the store's own
 */
public record TestSeams(
        @Nullable Storage storage, Clock clock, @Nullable Background background) {

    /** Nothing is replaced. */
    public static TestSeams none() {
        return new TestSeams(null, Clock.system(), null);
    }

    /** These parts with another {@code storage}. */
    public TestSeams withStorage(Storage given) {
        return new TestSeams(given, clock, background);
    }

    /** These parts with another {@code clock}. */
    public TestSeams withClock(Clock given) {
        return new TestSeams(storage, given, background);
    }

    /** These parts with another {@code background}. */
    public TestSeams withBackground(Background given) {
        return new TestSeams(storage, clock, given);
    }
}
