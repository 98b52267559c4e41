package io.kvstore.views;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.Table;
import io.kvstore.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random calls give what they give on a ConcurrentSkipListMap, also on parts of parts in both directions. */
final class OracleTest {

    private static final int SEEDS = 12;
    private static final int STEPS = 500;
    private static final int FLUSH_EVERY = 90;
    private static final int MOST_VIEWS = 10;

    /** A map over a table, and the one that it has to be like. */
    private record Views(
            ConcurrentNavigableMap<Integer, Integer> tried, ConcurrentNavigableMap<Integer, Integer> oracle) {

        /** Makes a call on both. */
        void call(MapCalls.Call call, long seed) {
            assertEquals(outcome(call, oracle, seed), outcome(call, tried, seed));
        }

        private static @Nullable Object outcome(
                MapCalls.Call call, ConcurrentNavigableMap<Integer, Integer> map, long seed) {
            try {
                return call.on(map, new SplittableRandom(seed));
            } catch (IllegalArgumentException | NoSuchElementException e) {
                return e.getClass();
            }
        }

        /** Parts of both; null if there is no such part. */
        @Nullable
        Views derive(MapCalls.Derivation derivation, long seed) {
            List<ConcurrentNavigableMap<Integer, Integer>> derived = new ArrayList<>();
            call(
                    (map, random) -> {
                        derived.add(derivation.of(map, random));
                        return null;
                    },
                    seed);
            return derived.size() < 2 ? null : new Views(derived.get(1), derived.get(0));
        }

        void check() {
            assertEquals(List.copyOf(oracle.entrySet()), List.copyOf(tried.entrySet()));
            assertEquals(
                    List.copyOf(oracle.descendingMap().entrySet()),
                    List.copyOf(tried.descendingMap().entrySet()));
            assertEquals(oracle, tried);
            assertEquals(oracle.size(), tried.size());
        }
    }

    static List<Tables> stores() {
        return Tables.ofEveryKind();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void calls_give_what_the_oracle_gives(Tables tables) {
        Seeds.each(1, SEEDS, seed -> run(tables.next(), new SplittableRandom(seed)));
    }

    private static void run(Table table, SplittableRandom random) {
        Views whole = new Views(TableMap.of(table, Codecs.INT, Codecs.INT), new ConcurrentSkipListMap<>());
        List<Views> views = new ArrayList<>(List.of(whole));
        for (int step = 0; step < STEPS; step++) {
            Views derived = one(views, random).derive(one(MapCalls.derivations(), random), random.nextLong());
            if (derived != null && views.size() < MOST_VIEWS) {
                views.add(derived);
            }
            one(views, random).call(one(MapCalls.changes(), random), random.nextLong());
            one(views, random).call(one(MapCalls.reads(), random), random.nextLong());
            if (step % FLUSH_EVERY == 0) {
                table.flush();
                views.forEach(Views::check);
            }
        }
        one(views, random).call(OracleTest::cleared, 0);
        views.forEach(Views::check);
    }

    private static @Nullable Object cleared(Map<Integer, Integer> map, SplittableRandom random) {
        map.clear();
        return null;
    }

    private static <T> T one(List<T> list, SplittableRandom random) {
        return list.get(random.nextInt(list.size()));
    }
}
