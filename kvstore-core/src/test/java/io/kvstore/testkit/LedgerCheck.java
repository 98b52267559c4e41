package io.kvstore.testkit;

import io.kvstore.data.KeyOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Finds which prefix of the commits a recovered store shows, or says why it shows none that it may. */
final class LedgerCheck {

    private final StoreLedger ledger;
    private final StoreContent found;
    private final int least;

    /** @param least how many logged commits have to be there */
    private LedgerCheck(StoreLedger ledger, StoreContent found, int least) {
        this.ledger = ledger;
        this.found = found;
        this.least = least;
    }

    /** What a store came back with; fails if it is nothing that may be. */
    static StoreLedger.Recovered check(StoreLedger ledger, StoreContent found, int least) {
        return new LedgerCheck(ledger, found, least).run();
    }

    private StoreLedger.Recovered run() {
        AssertionError last = null;
        for (Map<String, StoreLedger.Home> names : ledger.possibleNames()) {
            if (names.keySet().equals(found.names())) {
                try {
                    return match(names);
                } catch (AssertionError e) {
                    last = e;
                }
            }
        }
        throw last != null
                ? last
                : new AssertionError("the names are " + found.names() + ", and should be one of "
                        + ledger.possibleNames().stream().map(Map::keySet).toList());
    }

    private StoreLedger.Recovered match(Map<String, StoreLedger.Home> names) {
        Map<Place, Bytes> actual = new HashMap<>();
        Map<Place, Bytes> base = new HashMap<>();
        Set<Integer> tables = new HashSet<>();
        Map<Integer, Integer> unlogged = new TreeMap<>();
        Map<String, StoreContent.TableContent> contents = found.tables();
        names.forEach((name, home) -> {
            StoreContent.TableContent content = contents.get(name);
            if (content == null) {
                return;
            }
            int uid = home.uid();
            if (home.logged()) {
                tables.add(uid);
                content.entries().forEach((key, value) -> actual.put(new Place(uid, key), value));
                ledger.loggedBase(uid).forEach((key, value) -> base.put(new Place(uid, key), value));
            } else {
                unlogged.put(uid, matchUnlogged(name, uid, content));
            }
        });
        Prefix prefix = new Prefix(base, actual, tables);
        int logged = prefix.find(least, ledger.loggedCommits(), ledger::logged);
        if (logged < 0) {
            throw new AssertionError("no prefix of the logged commits, of which " + least + " to "
                    + ledger.loggedCommits() + " may be there, gives what was found; " + prefix.says);
        }
        return new StoreLedger.Recovered(names, logged, unlogged);
    }

    private int matchUnlogged(String name, int uid, StoreContent.TableContent content) {
        Map<Place, Bytes> actual = new HashMap<>();
        Map<Place, Bytes> base = new HashMap<>();
        content.entries().forEach((key, value) -> actual.put(new Place(uid, key), value));
        ledger.unloggedBase(uid).forEach((key, value) -> base.put(new Place(uid, key), value));
        Prefix prefix = new Prefix(base, actual, Set.of(uid));
        int count = prefix.find(
                ledger.unloggedLeast(uid), ledger.unloggedCommits(uid), index -> ledger.unlogged(uid, index));
        if (count < 0) {
            throw new AssertionError("table " + name + " without a log shows none of its states since the last"
                    + " checkpoint; " + prefix.says);
        }
        return count;
    }

    /** A key of a table. */
    private record Place(int uid, Bytes key) {}

    /** Walks through the commits and counts in how many keys the state differs from what was found. */
    private static final class Prefix {
        private final Map<Place, Bytes> state;
        private final Map<Place, Bytes> actual;
        private final Set<Integer> tables;
        private int different;
        private String says = "";

        Prefix(Map<Place, Bytes> base, Map<Place, Bytes> actual, Set<Integer> tables) {
            this.state = base;
            this.actual = actual;
            this.tables = tables;
        }

        /** The least prefix that gives what was found, or -1. */
        int find(int least, int most, IntFunction<List<StoreLedger.Change>> commits) {
            for (int i = 0; i < least; i++) {
                commits.apply(i).forEach(this::change);
            }
            different = count();
            if (different > 0) {
                says = "at the least prefix " + describe();
            }
            for (int i = least; different > 0; i++) {
                if (i >= most) {
                    return -1;
                }
                for (StoreLedger.Change change : commits.apply(i)) {
                    Place place = new Place(change.uid(), change.key());
                    different -= differs(place) ? 1 : 0;
                    change(change);
                    different += differs(place) ? 1 : 0;
                }
                if (different == 0) {
                    return i + 1;
                }
            }
            return least;
        }

        private void change(StoreLedger.Change change) {
            Bytes value = change.value();
            Place place = new Place(change.uid(), change.key());
            if (value == null || !tables.contains(change.uid())) {
                state.remove(place);
            } else {
                state.put(place, value);
            }
        }

        private boolean differs(Place place) {
            Bytes expected = state.get(place);
            Bytes shown = actual.get(place);
            return !Objects.equals(expected, shown);
        }

        private int count() {
            Set<Place> places = new HashSet<>(state.keySet());
            places.addAll(actual.keySet());
            return (int) places.stream().filter(this::differs).count();
        }

        private String describe() {
            StringBuilder text = new StringBuilder(different + " keys differ:");
            Set<Place> places = new HashSet<>(state.keySet());
            places.addAll(actual.keySet());
            places.stream()
                    .filter(this::differs)
                    .limit(4)
                    .forEach(place -> text.append(" [table ")
                            .append(place.uid())
                            .append(" key ")
                            .append(KeyOrder.display(place.key().array()))
                            .append(" expected ")
                            .append(show(state.get(place)))
                            .append(" found ")
                            .append(show(actual.get(place)))
                            .append(']'));
            return text.toString();
        }

        private static String show(@Nullable Bytes value) {
            return value == null ? "none" : value.toString();
        }
    }
}
