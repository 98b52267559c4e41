package io.kvstore.bench.duel;

import io.kvstore.bench.duel.RunResults.Rate;
import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.ContenderKind.Family;
import io.kvstore.bench.store.Shape;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ratio that a table of this store is to reach in a case, compared with the best of some other stores.
 *
 * @param others the stores that it is compared with
 * @param ratio the ratio that is aimed at
 * @param floor the ratio that must be reached
 */
record Goal(Set<Family> others, double ratio, double floor) {

    /** Follows the name of a case where the rate until rest is meant. */
    private static final String SETTLED = " until at rest";

    private static final Set<Family> ROCKS = Set.of(Family.ROCKSDB);
    private static final Set<Family> LMDB = Set.of(Family.LMDB);
    private static final Set<Family> BOTH = Set.of(Family.ROCKSDB, Family.LMDB);

    private static final Map<String, List<Goal>> BPLUS_WIDE = Map.ofEntries(
            Map.entry("put-1", List.of(new Goal(ROCKS, 2.7, 1.8))),
            Map.entry("put-200", List.of(new Goal(ROCKS, 7.0, 4.0))),
            Map.entry("get-1", List.of(new Goal(LMDB, 2.1, 1.3))),
            Map.entry("get-4", List.of(new Goal(LMDB, 2.1, 1.3))),
            Map.entry("get-200", List.of(new Goal(LMDB, 3.0, 1.5))),
            Map.entry("hot-1", List.of(new Goal(LMDB, 2.2, 1.3))),
            Map.entry("hot-4", List.of(new Goal(LMDB, 2.0, 1.3))),
            Map.entry("absent-1", List.of(new Goal(LMDB, 3.5, 2.0))),
            Map.entry("absent-4", List.of(new Goal(LMDB, 2.6, 1.5))),
            Map.entry("mixed-1", List.of(new Goal(BOTH, 5.0, 3.0))),
            Map.entry("mixed-4", List.of(new Goal(BOTH, 6.0, 3.0))),
            Map.entry("scan-1", List.of(new Goal(LMDB, 1.8, 1.1))),
            Map.entry("scan-4", List.of(new Goal(LMDB, 1.2, 0.8))),
            Map.entry("scan-200", List.of(new Goal(LMDB, 1.0, 0.6))),
            Map.entry("put-buffered-1", List.of(new Goal(ROCKS, 3.0, 2.0))),
            Map.entry("put-buffered-4", List.of(new Goal(ROCKS, 3.0, 2.0))),
            Map.entry("put-buffered-200", List.of(new Goal(ROCKS, 6.0, 4.0))),
            Map.entry("put-sync-1", List.of(new Goal(ROCKS, 1.5, 1.2))),
            Map.entry("put-sync-16", List.of(new Goal(ROCKS, 1.8, 1.3))),
            Map.entry("put-sync-200", List.of(new Goal(ROCKS, 2.3, 1.6))),
            Map.entry("small-get", List.of(new Goal(ROCKS, 1.0, 0))),
            Map.entry("small-scan", List.of(new Goal(ROCKS, 1.0, 0))));

    private static final Map<String, List<Goal>> BPLUS_NARROW = Map.of(
            "put-1", List.of(new Goal(LMDB, 2.3, 1.5)),
            "get-1", List.of(new Goal(LMDB, 1.9, 1.3)),
            "scan-1", List.of(new Goal(LMDB, 1.3, 0.9)));

    private static final Map<String, List<Goal>> LSM_WIDE = Map.ofEntries(
            Map.entry("put-1", List.of(new Goal(ROCKS, 2.5, 1.7))),
            Map.entry("put-1" + SETTLED, List.of(new Goal(ROCKS, 3.0, 2.0))),
            Map.entry("put-4", List.of(new Goal(ROCKS, 3.0, 2.0))),
            Map.entry("put-200", List.of(new Goal(ROCKS, 6.5, 4.0))),
            Map.entry("put-ordered", List.of(new Goal(ROCKS, 2.5, 1.7))),
            Map.entry("get-1", List.of(new Goal(ROCKS, 6.0, 4.0), new Goal(LMDB, 1.2, 0))),
            Map.entry("get-4", List.of(new Goal(ROCKS, 6.0, 4.0), new Goal(LMDB, 1.2, 0))),
            Map.entry("absent-1", List.of(new Goal(ROCKS, 3.0, 1.5))),
            Map.entry("absent-4", List.of(new Goal(ROCKS, 3.0, 1.5))),
            Map.entry("scan-1", List.of(new Goal(ROCKS, 2.5, 1.5))),
            Map.entry("mixed-4", List.of(new Goal(ROCKS, 5.0, 3.0))),
            Map.entry("put-buffered-1", List.of(new Goal(ROCKS, 3.0, 2.0))),
            Map.entry("put-sync-200", List.of(new Goal(ROCKS, 2.0, 1.5))));

    private static final Map<String, List<Goal>> LSM_LONG =
            Map.of("put-1", List.of(new Goal(ROCKS, 2.0, 1.3)), "get-1", List.of(new Goal(ROCKS, 2.0, 1.3)));

    private static final Map<String, List<Goal>> LSM_SHORT =
            Map.of("put-1", List.of(new Goal(ROCKS, 1.0, 1.0)), "get-1", List.of(new Goal(ROCKS, 1.0, 1.0)));

    /** All goals of one of this store's contenders for a rate of a case. */
    static List<Goal> of(ContenderKind kind, Shape shape, Case one, Rate rate) {
        Map<String, List<Goal>> goals = switch (kind) {
            case KVSTORE_BPLUS -> ofTrees(shape);
            case KVSTORE_LSM -> ofLogs(shape);
            default -> Map.of();
        };
        return goals.getOrDefault(rate == Rate.SETTLED ? one.name() + SETTLED : one.name(), List.of());
    }

    private static Map<String, List<Goal>> ofTrees(Shape shape) {
        return switch (shape) {
            case WIDE -> BPLUS_WIDE;
            case NARROW -> BPLUS_NARROW;
            case SHORT, LONG, PAGE, PICTURE -> Map.of();
        };
    }

    private static Map<String, List<Goal>> ofLogs(Shape shape) {
        return switch (shape) {
            case WIDE -> LSM_WIDE;
            case LONG -> LSM_LONG;
            case SHORT -> LSM_SHORT;
            case NARROW, PAGE, PICTURE -> Map.of();
        };
    }

    /** The verdict on a ratio, in words. */
    String verdict(double reached) {
        if (reached >= ratio) {
            return "goal reached";
        }
        return reached >= floor ? "floor reached" : "BELOW THE FLOOR";
    }
}
