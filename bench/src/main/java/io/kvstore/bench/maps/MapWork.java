package io.kvstore.bench.maps;

/** The kinds of operations, in the order in which they run. Each goes once over as many entries as the map has. */
enum MapWork {
    /** Set each entry in an empty map. */
    INSERT("insert", 1),
    /** Get each entry, in the order in which they were set. */
    READ("read", 1),
    /** Remove each entry. */
    DELETE("delete", 1),
    /** Set each entry again. */
    REINSERT("re-insert", 1),
    /** Get entries. All are equally likely. */
    GET("get, 4 threads", 4),
    /** Get an entry or set it, equally often. All are equally likely. */
    MIXED("get or set, 4 threads", 4),
    /** Put each entry with {@link java.util.Map#put}, which returns the old value. */
    PUT_OVER("put over an old value", 1),
    /** Remove each entry. It makes room for {@link #PUT}, and is not in the report. */
    EMPTY("", 1),
    /** Put each entry in an empty map with {@link java.util.Map#put}. */
    PUT("put into an empty map", 1),
    /** Get each entry once more. It finds entries that PUT lost, and is not in the report. */
    CHECK("", 1);

    private final String title;
    private final int threads;

    MapWork(String title, int threads) {
        this.title = title;
        this.threads = threads;
    }

    String title() {
        return title;
    }

    int threads() {
        return threads;
    }

    boolean isReported() {
        return this != EMPTY && this != CHECK;
    }
}
