package io.kvstore.bench.store;

import java.util.List;

/**
 * One case of the duel.
 *
 * @param name its name in the command line and in the report
 * @param work the work of each thread
 * @param threads the number of platform threads
 * @param home the store that the case runs in
 */
public record Case(String name, Work work, int threads, Home home) {

    /** The kinds of operations. */
    public enum Work {
        /** Put the next entry. */
        PUT,
        /** Put the next entry, whose key is behind all others. */
        PUT_IN_ORDER,
        /** Get an entry. All entries are equally likely. */
        GET,
        /** Get an entry. Four times of five it is one of the same fifth of all entries. */
        HOT,
        /** Get a key that does not exist, between keys that do. */
        ABSENT,
        /** Put an existing entry or get one, equally often. */
        MIXED,
        /** Read 100 entries, beginning with a given key. */
        SCAN,
        /** Put every entry three times more. */
        OVERWRITE,
        /** Remove nine of ten entries. */
        REMOVE,
        /** Get an entry and put it. */
        GET_AND_PUT,
        /** Put one of a fifth of all entries. */
        PUT_HOT,
        /** Put an entry at the end, and get and remove the first one. */
        QUEUE;

        /** One of this number of entries is not removed. */
        public static final int KEPT_PART = 10;

        public boolean writes() {
            return this != GET && this != HOT && this != ABSENT && this != SCAN;
        }
    }

    /** The store that a case runs in. */
    public enum Home {
        /** Loaded by one thread. All cases that read share it. */
        MAIN(Logging.OFF, true),
        /** Empty at the start. */
        EMPTY(Logging.OFF, false),
        /** Empty at the start, with a log that survives the process. */
        BUFFERED(Logging.BUFFERED, false),
        /** Empty at the start, with a log that survives a power loss. */
        SYNC(Logging.SYNC, false),
        /** Like MAIN, but with far less memory than the index takes, and with values beside their keys. */
        SMALL(Logging.OFF, true);

        private final Logging logging;
        private final boolean shared;

        Home(Logging logging, boolean shared) {
            this.logging = logging;
            this.shared = shared;
        }

        public Logging logging() {
            return logging;
        }

        /** Whether all its cases run in one store, one after the other. */
        public boolean isShared() {
            return shared;
        }
    }

    private static final int OURS_ONLY_THREADS = 2;

    /** All cases in the order in which they run. */
    public static final List<Case> ALL = List.of(
            new Case("put-1", Work.PUT, 1, Home.MAIN),
            new Case("get-1", Work.GET, 1, Home.MAIN),
            new Case("get-4", Work.GET, 4, Home.MAIN),
            new Case("get-200", Work.GET, 200, Home.MAIN),
            new Case("hot-1", Work.HOT, 1, Home.MAIN),
            new Case("hot-4", Work.HOT, 4, Home.MAIN),
            new Case("absent-1", Work.ABSENT, 1, Home.MAIN),
            new Case("absent-4", Work.ABSENT, 4, Home.MAIN),
            new Case("scan-1", Work.SCAN, 1, Home.MAIN),
            new Case("scan-4", Work.SCAN, 4, Home.MAIN),
            new Case("scan-200", Work.SCAN, 200, Home.MAIN),
            new Case("mixed-1", Work.MIXED, 1, Home.MAIN),
            new Case("mixed-4", Work.MIXED, 4, Home.MAIN),
            new Case("overwrite", Work.OVERWRITE, 1, Home.MAIN),
            new Case("remove", Work.REMOVE, 1, Home.MAIN),
            new Case("put-2", Work.PUT, OURS_ONLY_THREADS, Home.EMPTY),
            new Case("put-4", Work.PUT, 4, Home.EMPTY),
            new Case("put-200", Work.PUT, 200, Home.EMPTY),
            new Case("put-ordered", Work.PUT_IN_ORDER, 1, Home.EMPTY),
            new Case("put-buffered-1", Work.PUT, 1, Home.BUFFERED),
            new Case("put-buffered-4", Work.PUT, 4, Home.BUFFERED),
            new Case("put-buffered-200", Work.PUT, 200, Home.BUFFERED),
            new Case("put-sync-1", Work.PUT, 1, Home.SYNC),
            new Case("put-sync-16", Work.PUT, 16, Home.SYNC),
            new Case("put-sync-200", Work.PUT, 200, Home.SYNC),
            new Case("small-put", Work.PUT, 1, Home.SMALL),
            new Case("small-get", Work.GET, 1, Home.SMALL),
            new Case("small-scan", Work.SCAN, 1, Home.SMALL));

    /** Whether the case exists only to compare two rows of this store. */
    public boolean isOursOnly() {
        return threads == OURS_ONLY_THREADS;
    }
}
