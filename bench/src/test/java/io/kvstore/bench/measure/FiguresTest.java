package io.kvstore.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FiguresTest {

    @Test
    void figures_survive_their_way_as_text() {
        Figures figures = new Figures(Map.of("a", 1.5, "b", -1.0));
        assertEquals(figures, Figures.parse(figures.lines()));
    }

    @Test
    void the_median_of_each_figure_counts_and_the_spread_is_largest_over_smallest() {
        List<Figures> rounds = List.of(of(100, 3), of(300, 1), of(200, 2));
        assertEquals(new Figures(Map.of("a", 200.0, "b", 2.0)), Figures.median(rounds));
        assertEquals(3.0, Figures.spread(rounds, "a"));
    }

    private static Figures of(double a, double b) {
        return new Figures(Map.of("a", a, "b", b));
    }
}
