package io.kvstore.testkit;

import io.kvstore.data.Durability;
import io.kvstore.error.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a store was told, and what it acknowledged: the oracle of every crash. One operation is under way at a time.
 *
 * <p>Logged commits form one sequence over all tables. {@code acked} of them survive the process, {@code durable} of them
 * also a power loss; the rest may be there or not, but only as a prefix. A table without a log has a sequence of its own, of
 * which at least the part of its last checkpoint survives. Names change one at a time, and an acknowledged change is final.
 */
final class StoreLedger {

    /** An incarnation of a table; a truncate makes another. */
    record Home(int uid, boolean logged, Durability level, StoreScenario.Engine engine) {}

    /** One key changed; a null value is a removal. */
    record Change(int uid, Bytes key, @Nullable Bytes value) {}

    /** What was changed in one operation, and when it was acknowledged. */
    private static final class Commit {
        private final List<Change> changes;
        private long atNanos = Long.MAX_VALUE;

        Commit(List<Change> changes) {
            this.changes = changes;
        }
    }

    /** Commits in order, from a state that is durable. */
    private static final class Sequence {
        private final Map<Integer, Map<Bytes, Bytes>> base = new HashMap<>();
        private final List<Commit> commits = new ArrayList<>();
        private int acked;
        private int durable;

        void fold() {
            commits.forEach(commit -> apply(base, commit.changes));
            commits.clear();
            acked = 0;
            durable = 0;
        }
    }

    /** What of its commits a store came back with. */
    record Recovered(Map<String, Home> names, int logged, Map<Integer, Integer> unlogged) {}

    private final Sequence log = new Sequence();
    private final Map<Integer, Sequence> unlogged = new HashMap<>();
    private final Map<Integer, ModelTable> live = new HashMap<>();
    private final Map<Integer, Map<Bytes, Integer>> lastTouch = new HashMap<>();
    private final Map<Integer, Integer> lastOfTable = new HashMap<>();
    private Map<String, Home> names = new TreeMap<>();
    private @Nullable Map<String, Home> namesUnderWay;
    private List<Change> underWay = List.of();
    private int nextUid = 1;

    static final Home DATABASE = new Home(0, false, Durability.SYNC, new StoreScenario.Engine("", Map.of()));

    private static void apply(Map<Integer, Map<Bytes, Bytes>> state, List<Change> changes) {
        for (Change change : changes) {
            Map<Bytes, Bytes> table = state.computeIfAbsent(change.uid(), any -> new HashMap<>());
            if (change.value() == null) {
                table.remove(change.key());
            } else {
                table.put(change.key(), change.value());
            }
        }
    }

    int nextUid() {
        return nextUid++;
    }

    /** Databases as {@code db/} and tables as {@code db/table}, as acknowledged. */
    Map<String, Home> names() {
        return names;
    }

    /** The names that the store may have: those acknowledged, and those of a change under way. */
    List<Map<String, Home>> possibleNames() {
        Map<String, Home> next = namesUnderWay;
        return next == null ? List.of(names) : List.of(names, next);
    }

    /** What a table should answer now. */
    ModelTable live(int uid) {
        return live.computeIfAbsent(uid, any -> new ModelTable());
    }

    void beginNames(Map<String, Home> changed) {
        namesUnderWay = new TreeMap<>(changed);
    }

    void namesAcked() {
        Map<String, Home> next = namesUnderWay;
        if (next != null) {
            names = next;
        }
        namesUnderWay = null;
    }

    void namesFailed(Outcome outcome) {
        if (outcome != Outcome.UNKNOWN) {
            namesUnderWay = null;
        }
    }

    /** Begins an operation on tables that all have a log, or all have none. */
    void begin(boolean logged, List<Change> changes) {
        underWay = changes;
        if (logged) {
            log.commits.add(new Commit(changes));
        } else {
            byTable(changes).forEach((uid, part) -> sequence(uid).commits.add(new Commit(part)));
        }
    }

    private static Map<Integer, List<Change>> byTable(List<Change> changes) {
        Map<Integer, List<Change>> parts = new LinkedHashMap<>();
        changes.forEach(change ->
                parts.computeIfAbsent(change.uid(), any -> new ArrayList<>()).add(change));
        return parts;
    }

    private Sequence sequence(int uid) {
        return unlogged.computeIfAbsent(uid, any -> new Sequence());
    }

    void acked(boolean logged, boolean sync, long atNanos) {
        for (Change change : underWay) {
            Bytes value = change.value();
            if (value == null) {
                live(change.uid()).remove(change.key().array());
            } else {
                live(change.uid()).put(change.key().array(), value.array());
            }
        }
        if (logged) {
            log.acked = log.commits.size();
            log.commits.getLast().atNanos = atNanos;
            for (Change change : underWay) {
                lastTouch.computeIfAbsent(change.uid(), any -> new HashMap<>()).put(change.key(), log.acked);
                lastOfTable.put(change.uid(), log.acked);
            }
            if (sync) {
                log.durable = log.acked;
            }
        } else {
            byTable(underWay)
                    .keySet()
                    .forEach(uid -> sequence(uid).acked = sequence(uid).commits.size());
        }
        underWay = List.of();
    }

    /** The operation under way changed nothing, or it is not known whether it did. */
    void failed(boolean logged, Outcome outcome) {
        if (outcome != Outcome.UNKNOWN) {
            if (logged) {
                log.commits.removeLast();
            } else {
                byTable(underWay).keySet().forEach(uid -> sequence(uid).commits.removeLast());
            }
        }
        underWay = List.of();
    }

    /** An answer about a key was given in a table that promises not to take it back. */
    void answered(Home table, byte[] key) {
        if (table.level() == Durability.SYNC && table.logged()) {
            Map<Bytes, Integer> touched = lastTouch.getOrDefault(table.uid(), Map.of());
            durableUpTo(touched.getOrDefault(new Bytes(key), 0));
        }
    }

    /** An answer about all keys was given. */
    void answered(Home table) {
        if (table.level() == Durability.SYNC && table.logged()) {
            durableUpTo(lastOfTable.getOrDefault(table.uid(), 0));
        }
    }

    private void durableUpTo(int commits) {
        log.durable = Math.max(log.durable, commits);
    }

    /** The table's own files hold everything. */
    void flushed(Home table) {
        if (table.logged()) {
            durableUpTo(lastOfTable.getOrDefault(table.uid(), 0));
        } else {
            Sequence own = sequence(table.uid());
            own.durable = own.acked;
        }
    }

    /** Whatever was acknowledged before that time is on disk by now. */
    void syncedBefore(long nanos) {
        for (int i = log.durable; i < log.acked && log.commits.get(i).atNanos <= nanos; i++) {
            durableUpTo(i + 1);
        }
    }

    /** Everything acknowledged is on disk. */
    void allDurable() {
        log.durable = log.acked;
        unlogged.values().forEach(own -> own.durable = own.acked);
        if (namesUnderWay == null && underWay.isEmpty() && log.acked == log.commits.size()) {
            log.fold();
            lastTouch.clear();
            lastOfTable.clear();
            unlogged.values().forEach(Sequence::fold);
        }
    }

    /** Goes on from what a store came back with: everything else is forgotten. */
    void settle(Recovered recovered) {
        names = recovered.names();
        namesUnderWay = null;
        underWay = List.of();
        cut(log, recovered.logged());
        recovered.unlogged().forEach((uid, count) -> cut(sequence(uid), count));
        allDurable();
        live.clear();
        names.values().forEach(home -> {
            Map<Integer, Map<Bytes, Bytes>> base = home.logged() ? log.base : sequence(home.uid()).base;
            base.getOrDefault(home.uid(), Map.of())
                    .forEach((key, value) -> live(home.uid()).put(key.array(), value.array()));
        });
    }

    private static void cut(Sequence sequence, int count) {
        while (sequence.commits.size() > count) {
            sequence.commits.removeLast();
        }
        sequence.acked = count;
        sequence.durable = count;
    }

    /** The values of a table that a power loss leaves, without keys that were touched since. */
    Map<Bytes, Bytes> durableValues(int uid) {
        Map<Integer, Map<Bytes, Bytes>> state = new HashMap<>();
        state.put(uid, new HashMap<>(loggedBase(uid)));
        for (int i = 0; i < log.commits.size(); i++) {
            boolean kept = i < log.durable;
            for (Change change : log.commits.get(i).changes) {
                if (change.uid() == uid) {
                    apply(state, List.of(kept ? change : new Change(uid, change.key(), null)));
                }
            }
        }
        return state.getOrDefault(uid, Map.of());
    }

    /** How many logged commits there are, the one under way among them. */
    int loggedCommits() {
        return log.commits.size();
    }

    int loggedLeast(boolean powerLoss) {
        return powerLoss ? log.durable : log.acked;
    }

    List<Change> logged(int index) {
        return log.commits.get(index).changes;
    }

    Map<Bytes, Bytes> loggedBase(int uid) {
        return log.base.getOrDefault(uid, Map.of());
    }

    int unloggedCommits(int uid) {
        return sequence(uid).commits.size();
    }

    int unloggedLeast(int uid) {
        return sequence(uid).durable;
    }

    List<Change> unlogged(int uid, int index) {
        return sequence(uid).commits.get(index).changes;
    }

    Map<Bytes, Bytes> unloggedBase(int uid) {
        return sequence(uid).base.getOrDefault(uid, Map.of());
    }
}
