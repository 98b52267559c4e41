package io.kvstore.engine;

import io.kvstore.error.CorruptionException;
import java.util.ArrayList;
import java.util.List;

/** Collects the defects that {@code verify} finds, up to a bound. Safe for use by several threads. */
public final class Findings {

    private static final int MAX_KEPT = 1_000;

    private final List<Finding> kept = new ArrayList<>();
    private long total;

    /**
     * One defect.
     *
     * @param file the file, relative to the store's directory
     * @param offset the position in the file, or -1 for the file as a whole
     * @param message says which rule does not hold
     */
    public record Finding(String file, long offset, String message) {}

    /** Adds a finding. The first 1,000 findings are kept, and all are counted. */
    public synchronized void report(String file, long offset, String message) {
        total++;
        if (kept.size() < MAX_KEPT) {
            kept.add(new Finding(file, offset, message));
        }
    }

    /** Adds damage that a call met. */
    public void report(CorruptionException damage) {
        String message = String.valueOf(damage.getMessage());
        int prefix = message.startsWith(damage.file())
                ? message.indexOf(": ", damage.file().length())
                : -1;
        report(damage.file(), damage.offset(), prefix < 0 ? message : message.substring(prefix + 2));
    }

    /** The findings that were kept, in order. */
    public synchronized List<Finding> kept() {
        return List.copyOf(kept);
    }

    /** How many findings were reported. */
    public synchronized long total() {
        return total;
    }
}
