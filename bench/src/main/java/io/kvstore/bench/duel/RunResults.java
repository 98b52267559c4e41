package io.kvstore.bench.duel;

import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.ContenderKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The figures of the rounds of a duel.
 *
 * @param settings the cases and the amount of work
 * @param rounds the figures of each round, of all its cases together
 */
record RunResults(RunSettings settings, Map<ContenderKind, List<Figures>> rounds) {

    private static final String SETTINGS = "settings ";
    private static final String ROUND = "round of ";

    /** The kinds of rates of a case. */
    enum Rate {
        /** Operations per second until the last one returned. */
        RETURNED("opsPerSecond"),
        /** Operations per second until the background work that they cause was done. */
        SETTLED("settledPerSecond");

        private final String figure;

        Rate(String figure) {
            this.figure = figure;
        }

        String figure() {
            return figure;
        }
    }

    /** The line in front of all others. */
    static String line(RunSettings settings) {
        return SETTINGS + settings;
    }

    /** The line in front of the figures of a round. */
    static String line(ContenderKind kind) {
        return ROUND + kind;
    }

    /** Reads the lines of a run, which need not have ended. */
    static RunResults parse(List<String> lines) {
        RunSettings settings = new RunSettings();
        Map<ContenderKind, List<List<String>>> rounds = new EnumMap<>(ContenderKind.class);
        List<String> round = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(SETTINGS)) {
                settings = RunSettings.parse(line.substring(SETTINGS.length()));
            } else if (line.startsWith(ROUND)) {
                round = new ArrayList<>();
                ContenderKind kind = ContenderKind.valueOf(line.substring(ROUND.length()));
                rounds.computeIfAbsent(kind, any -> new ArrayList<>()).add(round);
            } else {
                round.add(line);
            }
        }
        Map<ContenderKind, List<Figures>> figures = new EnumMap<>(ContenderKind.class);
        rounds.forEach((kind, all) ->
                figures.put(kind, all.stream().map(Figures::parse).toList()));
        return new RunResults(settings, figures);
    }

    /** The figures of a case, one for each round that had it. */
    List<Figures> of(ContenderKind kind, Case one) {
        return rounds.getOrDefault(kind, List.of()).stream()
                .map(figures -> figures.only(one.name()))
                .filter(figures -> !figures.isEmpty())
                .toList();
    }

    /** The median of the operations per second, or 0 if the case was not measured. */
    double rate(ContenderKind kind, Case one, Rate rate) {
        List<Figures> all = of(kind, one);
        return all.isEmpty() ? 0 : Figures.median(all).get(rate.figure());
    }

    /** The contender with the most operations per second in a case, among some families. */
    Optional<ContenderKind> best(Case one, Rate of, Predicate<ContenderKind.Family> which) {
        ContenderKind best = null;
        for (ContenderKind kind : rounds.keySet()) {
            double rate = which.test(kind.family()) ? rate(kind, one, of) : 0;
            if (rate > (best == null ? 0 : rate(best, one, of))) {
                best = kind;
            }
        }
        return Optional.ofNullable(best);
    }

    /** The largest number of rounds of a contender. */
    int count() {
        return rounds.values().stream().mapToInt(List::size).max().orElse(0);
    }
}
