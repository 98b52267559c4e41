package io.kvstore.engine;

import java.util.ArrayList;
import java.util.List;

/** Collects what {@code verify} finds wrong, up to a bound. Safe for use by several threads. */
public final class Findings {

    private static final int MAX_KEPT = 1_000;

    private final List<Finding> kept = new ArrayList<>();
    private long total;

    /**
     * One thing that is wrong.
     *
     * @param file the file, relative to the store's directory
     * @param offset where, or -1 for the file as a whole
     * @param message which rule does not hold
     */
    public record Finding(String file, long offset, String message) {}

    /** Adds one; the first 1,000 are kept, all are counted. */
    public synchronized void report(String file, long offset, String message) {
        total++;
        if (kept.size() < MAX_KEPT) {
            kept.add(new Finding(file, offset, message));
        }
    }

    /** Those that were kept, in order. */
    public synchronized List<Finding> kept() {
        return List.copyOf(kept);
    }

    /** How many were reported. */
    public synchronized long total() {
        return total;
    }
}
