package io.kvstore.bench.duel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bench.duel.RunResults.Rate;
import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.ContenderKind.Family;
import io.kvstore.bench.store.Shape;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GoalTest {

    @ParameterizedTest
    @CsvSource({"2.0, goal reached", "1.99, floor reached", "1.5, floor reached", "1.49, BELOW THE FLOOR"})
    void a_ratio_is_judged_by_goal_and_floor(double ratio, String verdict) {
        assertEquals(verdict, new Goal(Set.of(Family.ROCKSDB), 2.0, 1.5).verdict(ratio));
    }

    @Test
    void goals_differ_by_engine_shape_and_rate() {
        Case put = Case.ALL.getFirst();
        List<Goal> returned = Goal.of(ContenderKind.KVSTORE_LSM, Shape.WIDE, put, Rate.RETURNED);
        List<Goal> settled = Goal.of(ContenderKind.KVSTORE_LSM, Shape.WIDE, put, Rate.SETTLED);
        assertFalse(returned.isEmpty());
        assertFalse(settled.isEmpty());
        assertFalse(returned.equals(settled));
        assertFalse(returned.equals(Goal.of(ContenderKind.KVSTORE_BPLUS, Shape.WIDE, put, Rate.RETURNED)));
        assertTrue(Goal.of(ContenderKind.KVSTORE_BPLUS, Shape.SHORT, put, Rate.RETURNED)
                .isEmpty());
    }
}
