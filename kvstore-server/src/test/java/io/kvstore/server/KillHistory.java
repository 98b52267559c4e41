package io.kvstore.server;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one client knows of its own keys: for each the value that was acknowledged last, and the one that was sent and not
 * answered. After a crash the first must be there, or the second instead. Used by one thread at a time.
 */
final class KillHistory {

    /**
     * A key of a table.
     *
     * @param table the table's name
     * @param key the key
     */
    record Place(String table, String key) {}

    /** What a request sets keys to; null removes them. */
    record Change(Map<Place, String> puts, boolean isDelete) {

        Change {
            puts = Map.copyOf(puts);
        }

        @Nullable
        String value(Place place) {
            return isDelete ? null : puts.get(place);
        }
    }

    private final Map<Place, String> acknowledged =
            new TreeMap<>((a, b) -> (a.table() + "/" + a.key()).compareTo(b.table() + "/" + b.key()));
    private @Nullable Change inFlight;
    private long acknowledgedPuts;
    private long acknowledgedDeletes;
    private long kept;
    private long undone;

    /** A request is about to be sent. */
    void sent(Change change) {
        inFlight = change;
    }

    /** The request was answered. */
    void acknowledge() {
        Change change = Objects.requireNonNull(inFlight);
        settle(change);
        if (change.isDelete()) {
            acknowledgedDeletes++;
        } else {
            acknowledgedPuts++;
        }
        inFlight = null;
    }

    private void settle(Change change) {
        change.puts().forEach((place, value) -> {
            if (change.isDelete()) {
                acknowledged.remove(place);
            } else {
                acknowledged.put(place, value);
            }
        });
    }

    /**
     * Decides what became of the request in flight: applied as a whole or not at all.
     *
     * @param found what the server has now
     * @return what is wrong; null if nothing is
     */
    @Nullable
    String resolve(Map<Place, String> found) {
        Change change = inFlight;
        if (change == null) {
            return null;
        }
        inFlight = null;
        boolean applied = change.puts().keySet().stream()
                .allMatch(place -> Objects.equals(change.value(place), found.get(place)));
        if (applied) {
            settle(change);
            kept++;
            return null;
        }
        undone++;
        for (Place place : change.puts().keySet()) {
            if (!Objects.equals(acknowledged.get(place), found.get(place))) {
                return place + " of an unanswered request of " + change.puts().size() + " keys has neither its old nor"
                        + " its new value, or the request was applied by half";
            }
        }
        return null;
    }

    Map<Place, String> acknowledged() {
        return acknowledged;
    }

    long acknowledgedPuts() {
        return acknowledgedPuts;
    }

    long acknowledgedDeletes() {
        return acknowledgedDeletes;
    }

    /** Unanswered requests that had been applied. */
    long kept() {
        return kept;
    }

    /** Unanswered requests that had not been applied. */
    long undone() {
        return undone;
    }
}
