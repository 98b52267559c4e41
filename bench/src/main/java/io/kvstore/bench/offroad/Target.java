package io.kvstore.bench.offroad;

import io.kvstore.bench.store.ContenderKind;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The ratio to the best of the other stores that a row is to reach.
 *
 * @param ours the engines of which the better one counts
 * @param goal the ratio that is aimed at
 * @param floor the ratio that must be reached
 */
record Target(Set<ContenderKind> ours, double goal, double floor) {

    static Target better(double goal, double floor) {
        return new Target(EnumSet.of(ContenderKind.KVSTORE_BPLUS, ContenderKind.KVSTORE_LSM), goal, floor);
    }

    static Target of(ContenderKind kind, double goal, double floor) {
        return new Target(EnumSet.of(kind), goal, floor);
    }

    /** The verdict on a ratio, in words. */
    String verdict(double reached) {
        String word = reached >= goal ? "goal reached" : reached >= floor ? "floor reached" : "BELOW THE FLOOR";
        return String.format(Locale.ROOT, "goal %.1f, floor %.1f: %s", goal, floor, word);
    }
}
