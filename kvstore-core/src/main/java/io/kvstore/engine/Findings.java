package io.kvstore.engine;

import io.kvstore.error.CorruptionException;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the defects that {@code verify} finds, up to a bound, and tells the search for them when it is to end. Safe for use
 * by several threads.
 */
public final class Findings {

    private static final int MAX_KEPT = 1_000;

    private final Found found;
    private final Runnable end;

    /** No findings yet, of a search that nobody ends. */
    public Findings() {
        this(new Found(), () -> {});
    }

    private Findings(Found found, Runnable end) {
        this.found = found;
        this.end = end;
    }

    /** The defects that were found. Guarded by itself. */
    private static final class Found {
        private final List<Finding> kept = new ArrayList<>();
        private long total;
    }

    /**
     * One defect.
     *
     * @param file the file, relative to the store's directory
     * @param offset the position in the file, or -1 for the file as a whole
     * @param message says which rule does not hold
     */
    public record Finding(String file, long offset, String message) {}

    /**
     * The same findings, for a search that may be ended.
     *
     * @param check throws what the search is to throw, if it is to end; takes no time
     */
    public Findings endedBy(Runnable check) {
        return new Findings(found, check);
    }

    /** No findings yet, of a part of the same search. */
    public Findings ofPart() {
        return new Findings(new Found(), end);
    }

    /**
     * Throws if the search is to end. A search calls this between two short steps, such as the reading of a block or of a
     * value, and does not catch the exception.
     */
    public void requireGoing() {
        end.run();
    }

    /** Adds a finding. The first 1,000 findings are kept, and all are counted. */
    public void report(String file, long offset, String message) {
        synchronized (found) {
            found.total++;
            if (found.kept.size() < MAX_KEPT) {
                found.kept.add(new Finding(file, offset, message));
            }
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
    public List<Finding> kept() {
        synchronized (found) {
            return List.copyOf(found.kept);
        }
    }

    /** How many findings were reported. */
    public long total() {
        synchronized (found) {
            return found.total;
        }
    }
}
