package io.kvstore.bench.behaviour;

/**
 * The time that one copy of a store took, or a time without a copy.
 *
 * @param bytes of the copy
 * @param puts of the writer meanwhile, or not a number if there was none
 */
record CopyWindow(long bytes, double seconds, double puts) {

    private static final double MB = 1e6;

    double megabytes() {
        return bytes / MB;
    }

    double megabytesPerSecond() {
        return megabytes() / seconds;
    }

    double putsPerSecond() {
        return puts / seconds;
    }
}
