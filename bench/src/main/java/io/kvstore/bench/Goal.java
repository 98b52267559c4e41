package io.kvstore.bench;

import io.kvstore.bench.ContenderKind.Family;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a B+tree table is to reach in a case, as a ratio to the best of some others.
 *
 * @param others whom it is compared with
 * @param ratio what is aimed at
 * @param floor what it must reach
 */
record Goal(Set<Family> others, double ratio, double floor) {

    private static final Set<Family> ROCKS = Set.of(Family.ROCKSDB);
    private static final Set<Family> LMDB = Set.of(Family.LMDB);
    private static final Set<Family> BOTH = Set.of(Family.ROCKSDB, Family.LMDB);

    private static final Map<String, Goal> WIDE = Map.ofEntries(
            Map.entry("put-1", new Goal(ROCKS, 2.7, 1.8)),
            Map.entry("put-200", new Goal(ROCKS, 7.0, 4.0)),
            Map.entry("get-1", new Goal(LMDB, 2.1, 1.3)),
            Map.entry("get-4", new Goal(LMDB, 2.1, 1.3)),
            Map.entry("get-200", new Goal(LMDB, 3.0, 1.5)),
            Map.entry("hot-1", new Goal(LMDB, 2.2, 1.3)),
            Map.entry("hot-4", new Goal(LMDB, 2.0, 1.3)),
            Map.entry("absent-1", new Goal(LMDB, 3.5, 2.0)),
            Map.entry("absent-4", new Goal(LMDB, 2.6, 1.5)),
            Map.entry("mixed-1", new Goal(BOTH, 5.0, 3.0)),
            Map.entry("mixed-4", new Goal(BOTH, 6.0, 3.0)),
            Map.entry("scan-1", new Goal(LMDB, 1.8, 1.1)),
            Map.entry("scan-4", new Goal(LMDB, 1.2, 0.8)),
            Map.entry("scan-200", new Goal(LMDB, 1.0, 0.6)),
            Map.entry("put-buffered-1", new Goal(ROCKS, 3.0, 2.0)),
            Map.entry("put-buffered-4", new Goal(ROCKS, 3.0, 2.0)),
            Map.entry("put-buffered-200", new Goal(ROCKS, 6.0, 4.0)),
            Map.entry("put-sync-1", new Goal(ROCKS, 1.5, 1.2)),
            Map.entry("put-sync-16", new Goal(ROCKS, 1.8, 1.3)),
            Map.entry("put-sync-200", new Goal(ROCKS, 2.3, 1.6)),
            Map.entry("small-get", new Goal(ROCKS, 1.0, 0)),
            Map.entry("small-scan", new Goal(ROCKS, 1.0, 0)));

    private static final Map<String, Goal> NARROW = Map.of(
            "put-1", new Goal(LMDB, 2.3, 1.5),
            "get-1", new Goal(LMDB, 1.9, 1.3),
            "scan-1", new Goal(LMDB, 1.3, 0.9));

    static Optional<Goal> of(Shape shape, Case one) {
        Map<String, Goal> goals = switch (shape) {
            case WIDE -> WIDE;
            case NARROW -> NARROW;
        };
        return Optional.ofNullable(goals.get(one.name()));
    }

    /** What a ratio is worth. */
    String verdict(double reached) {
        if (reached >= ratio) {
            return "goal reached";
        }
        return reached >= floor ? "floor reached" : "BELOW THE FLOOR";
    }
}
