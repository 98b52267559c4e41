package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Durability;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Random operations on one store, each told to a {@link StoreLedger}; answers are checked against it at once. The same seed
 * makes the same operations as long as the answers are the same.
 */
final class StoreWorkload {

    private static final int MAX_TABLES = 6;
    private static final long SYNC_SLACK_NANOS = 60_000_000;

    private final StoreScenario scenario;
    private final StoreLedger ledger;
    private final SplittableRandom random;
    private final Tally tally;
    private final WorkloadBytes bytes;
    private final List<KVStoreException> errors = new ArrayList<>();
    private final WorkloadSnapshots snapshots;
    private final AnsweredWrites answered;
    private StoreSession session;
    private int createdNames;
    private boolean unknown;
    private @Nullable Mischief mischief;

    /** A mistake made on purpose, to see that it is found. */
    enum Mischief {
        /** A write gets a weaker durability than the ledger is told. */
        WEAKER_LEVEL,
        /** A batch is written as single changes. */
        SPLIT_BATCH,
        /** A removal is not done. */
        FORGOTTEN_REMOVE,
        /** A table promises less for reads than the ledger is told. */
        NO_BARRIER
    }

    StoreWorkload(StoreScenario scenario, StoreSession session, StoreLedger ledger, long seed, Tally tally) {
        this.scenario = scenario;
        this.session = session;
        this.ledger = ledger;
        this.random = new SplittableRandom(seed);
        this.bytes = new WorkloadBytes(random, scenario.keys());
        this.snapshots = new WorkloadSnapshots(ledger, random, tally);
        this.tally = tally;
        this.answered = new AnsweredWrites(this, ledger, random, tally);
    }

    void make(@Nullable Mischief mistake) {
        mischief = mistake;
    }

    WorkloadBytes bytes() {
        return bytes;
    }

    StoreSession session() {
        return session;
    }

    /** Makes no merges and exchanges from now on. */
    void withoutMerges() {
        answered.withoutMerges();
    }

    /** What failed so far; empty where nothing may fail. */
    List<KVStoreException> errors() {
        return errors;
    }

    /** Goes on with another store, which a crash or a reopening gave. */
    void continueWith(StoreSession next) {
        session = next;
        snapshots.forget();
        unknown = false;
    }

    /** Makes a database, two tables with a log, of both levels, and one without. */
    void prepare() {
        createDatabase();
        for (int i = 0; i < 3; i++) {
            createTable(i != 2, i == 1 ? Durability.BUFFERED : Durability.SYNC);
        }
    }

    /** Does one random operation. */
    void step() {
        int choice = random.nextInt(100);
        if (choice < 68) {
            stepData(choice);
        } else if (choice < 80) {
            passTime();
        } else if (choice < 90) {
            stepFiles(random.nextInt(12));
        } else {
            stepNames(random.nextInt(12));
        }
    }

    /** Writes to a table with a log, so that it is on disk. */
    void stepLogged() {
        for (String name : tables()) {
            if (home(name).logged() && home(name).level() == Durability.SYNC) {
                put(name);
                return;
            }
        }
        createTable(true, Durability.SYNC);
    }

    /** Removes a key from a table with a log. */
    void removeLogged() {
        for (String name : tables()) {
            if (home(name).logged()) {
                remove(name);
                return;
            }
        }
    }

    private void stepData(int choice) {
        String name = anyTable();
        if (name == null) {
            createTable(true, Durability.SYNC);
        } else if (choice < 30) {
            put(name);
        } else if (choice < 40) {
            remove(name);
        } else if (choice < 46) {
            answered.step(name);
        } else if (choice < 58) {
            batch(name);
        } else if (choice < 63) {
            get(name, bytes.key());
        } else {
            call(() -> new WorkloadReads(session, ledger, random, tally).scan(name, bytes.key(), bytes.key()));
        }
    }

    private void stepFiles(int choice) {
        String name = anyTable();
        switch (choice) {
            case 0, 1 -> checkpoint();
            case 2 -> call(() -> snapshots.open(session.store(), tables()));
            case 3, 4 -> call(snapshots::check);
            case 5, 6, 7 -> {
                tally.count("op.background task");
                session.background().runNext();
            }
            default -> {
                if (name != null) {
                    flush(name, choice == 11);
                }
            }
        }
    }

    private void stepNames(int choice) {
        List<String> tables = tables();
        switch (choice) {
            case 0 -> createDatabase();
            case 1 -> dropDatabase();
            case 2, 3, 4 -> {
                if (tables.size() < MAX_TABLES) {
                    createTable(random.nextInt(3) > 0, random.nextInt(2) == 0 ? Durability.SYNC : Durability.BUFFERED);
                }
            }
            case 5, 6 -> {
                if (tables.size() > 2) {
                    dropTable(tables.get(random.nextInt(tables.size())));
                }
            }
            case 7, 8, 9 -> truncate(anyTable());
            default -> call(snapshots::check);
        }
    }

    List<String> tables() {
        return ledger.names().keySet().stream()
                .filter(name -> !name.endsWith("/"))
                .toList();
    }

    private @Nullable String anyTable() {
        List<String> tables = tables();
        return tables.isEmpty() ? null : tables.get(random.nextInt(tables.size()));
    }

    StoreLedger.Home home(String name) {
        StoreLedger.Home home = ledger.names().get(name);
        if (home == null) {
            throw new IllegalStateException("no table " + name);
        }
        return home;
    }

    Table table(String name) {
        return tableOf(session.store(), name);
    }

    static Table tableOf(KVStore store, String name) {
        int slash = name.indexOf('/');
        return store.table(name.substring(0, slash), name.substring(slash + 1));
    }

    /** What is written, with its level when it was not left to the table. */
    interface Write {
        boolean run(@Nullable Durability given);
    }

    void write(List<StoreLedger.Change> changes, StoreLedger.Home home, Durability strongest, Write write) {
        boolean logged = home.logged();
        Durability given = logged && random.nextInt(4) == 0
                ? (random.nextInt(2) == 0 ? Durability.SYNC : Durability.BUFFERED)
                : null;
        Durability passed = given;
        if (logged && mischief == Mischief.WEAKER_LEVEL) {
            passed = Durability.BUFFERED;
        } else if (logged && mischief == Mischief.NO_BARRIER && given == null) {
            passed = strongest;
        }
        ledger.begin(logged, changes);
        try {
            if (write.run(passed)) {
                requireKnown();
                boolean sync = (given == null ? strongest : given) == Durability.SYNC;
                ledger.acked(logged, sync, session.nanos());
                tally.count(logged ? (sync ? "ack.sync" : "ack.buffered") : "ack.without log");
            } else {
                ledger.failed(logged, Outcome.FAILED);
                ledger.answered(home);
            }
        } catch (KVStoreException e) {
            ledger.failed(logged, e.outcome());
            note(e);
        }
    }

    private void note(KVStoreException e) {
        errors.add(e);
        unknown |= e.outcome() == Outcome.UNKNOWN;
        tally.count("error." + e.getClass().getSimpleName());
    }

    /** A store that does not know what became of an operation does no other. */
    private void requireKnown() {
        if (unknown) {
            throw new AssertionError("an operation is acknowledged after one whose outcome is not known");
        }
    }

    void put(String name) {
        StoreLedger.Home home = home(name);
        byte[] key = bytes.key();
        byte[] value = bytes.value();
        tally.count("op.put");
        write(List.of(change(home, key, value)), home, home.level(), given -> {
            table(name).put(key, value, given);
            return true;
        });
        if (home.level() == Durability.SYNC && random.nextInt(4) == 0) {
            get(name, key);
        }
    }

    void remove(String name) {
        StoreLedger.Home home = home(name);
        byte[] key = bytes.key();
        tally.count("op.remove");
        write(List.of(change(home, key, null)), home, home.level(), given -> {
            if (mischief != Mischief.FORGOTTEN_REMOVE) {
                table(name).remove(key, given);
            }
            return true;
        });
    }

    static StoreLedger.Change change(StoreLedger.Home home, byte[] key, byte @Nullable [] value) {
        return new StoreLedger.Change(home.uid(), new Bytes(key), value == null ? null : new Bytes(value));
    }

    void batch(String first) {
        StoreLedger.Home home = home(first);
        List<WriteBatch> parts = new ArrayList<>(List.of(new WriteBatch()));
        List<StoreLedger.Change> changes = new ArrayList<>();
        Durability strongest = Durability.BUFFERED;
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            String name = random.nextInt(3) == 0 ? first : anyTable();
            if (name == null || home(name).logged() != home.logged()) {
                name = first;
            }
            byte[] key = bytes.key();
            byte[] value = random.nextInt(3) == 0 ? null : bytes.value();
            strongest = strongest.orStronger(home(name).level());
            changes.add(change(home(name), key, value));
            WriteBatch part = mischief == Mischief.SPLIT_BATCH ? new WriteBatch() : parts.getLast();
            if (value == null) {
                part.remove(table(name), key);
            } else {
                part.put(table(name), key, value);
            }
            parts.add(part);
        }
        tally.count("op.batch");
        write(changes, home, strongest, given -> {
            new LinkedHashSet<>(parts).forEach(part -> session.store().write(part, given));
            return true;
        });
    }

    private void get(String name, byte[] key) {
        tally.count("op.get");
        StoreLedger.Home home = home(name);
        try {
            byte[] found = table(name).get(key);
            if (!Arrays.equals(found, ledger.live(home.uid()).get(key))) {
                throw new AssertionError("a read of " + name + " is wrong");
            }
            ledger.answered(home, key);
        } catch (KVStoreException e) {
            note(e);
        }
    }

    /** Lets time pass: the log's sync interval, watermarks, checkpoints. */
    private void passTime() {
        tally.count("op.time passes");
        int millis = random.nextInt(3) == 0 ? random.nextInt(1_500) : random.nextInt(120);
        session.background().tick(millis);
        if (session.store().failure() == null) {
            ledger.syncedBefore(session.nanos() - scenario.syncIntervalMillis() * 1_000_000 - SYNC_SLACK_NANOS);
        }
    }

    void checkpoint() {
        tally.count("op.checkpoint");
        if (call(() -> session.store().checkpoint())) {
            ledger.allDurable();
        }
    }

    void flush(String name, boolean optimize) {
        tally.count(optimize ? "op.optimize" : "op.flush");
        Table table = table(name);
        if (call(() -> {
            if (optimize) {
                table.optimize((done, total) -> true);
            } else {
                table.flush();
            }
        })) {
            ledger.flushed(home(name));
        }
    }

    private void createDatabase() {
        String database = "db" + createdNames++;
        tally.count("op.create database");
        changeNames(
                names -> names.put(database + "/", StoreLedger.DATABASE),
                () -> session.store().createDB(database));
    }

    private void dropDatabase() {
        List<String> empty = ledger.names().keySet().stream()
                .filter(name -> name.endsWith("/"))
                .filter(name -> tables().stream().noneMatch(table -> table.startsWith(name)))
                .toList();
        if (!empty.isEmpty()) {
            String name = empty.get(random.nextInt(empty.size()));
            tally.count("op.drop database");
            changeNames(
                    names -> names.remove(name), () -> session.store().dropDB(name.substring(0, name.length() - 1)));
        }
    }

    void createTable(boolean logged, Durability level) {
        List<String> databases = ledger.names().keySet().stream()
                .filter(name -> name.endsWith("/"))
                .toList();
        if (databases.isEmpty()) {
            createDatabase();
            return;
        }
        String database = databases.get(random.nextInt(databases.size()));
        String table = "t" + createdNames++;
        StoreScenario.Engine engine =
                scenario.engines().get(createdNames % scenario.engines().size());
        StoreLedger.Home home = new StoreLedger.Home(ledger.nextUid(), logged, level, engine);
        tally.count("op.create table");
        changeNames(
                names -> names.put(database + table, home),
                () -> session.store()
                        .createTable(
                                database.substring(0, database.length() - 1),
                                table,
                                engine.name(),
                                StoreScenario.properties(
                                        engine,
                                        logged,
                                        mischief == Mischief.NO_BARRIER ? Durability.BUFFERED : level)));
    }

    void dropTable(String name) {
        int slash = name.indexOf('/');
        tally.count("op.drop table");
        changeNames(
                names -> names.remove(name),
                () -> session.store().dropTable(name.substring(0, slash), name.substring(slash + 1)));
    }

    void truncate(@Nullable String name) {
        if (name != null) {
            StoreLedger.Home old = home(name);
            tally.count("op.truncate");
            changeNames(
                    names -> names.put(
                            name, new StoreLedger.Home(ledger.nextUid(), old.logged(), old.level(), old.engine())),
                    () -> table(name).truncate());
        }
    }

    private interface NamesChange {
        void to(Map<String, StoreLedger.Home> names);
    }

    private void changeNames(NamesChange change, Runnable call) {
        if (unknown) {
            call(() -> {
                call.run();
                requireKnown();
            });
            return;
        }
        Map<String, StoreLedger.Home> names = new TreeMap<>(ledger.names());
        change.to(names);
        ledger.beginNames(names);
        try {
            call.run();
            requireKnown();
            ledger.namesAcked();
        } catch (KVStoreException e) {
            ledger.namesFailed(e.outcome());
            note(e);
        }
    }

    /** Closes the store, which makes all of it durable. */
    boolean close() {
        tally.count("op.close");
        boolean closed = call(session::close) && session.store().failure() == null;
        if (closed) {
            ledger.allDurable();
        }
        snapshots.forget();
        return closed;
    }

    private boolean call(Runnable work) {
        try {
            work.run();
            return true;
        } catch (KVStoreException e) {
            note(e);
            return false;
        }
    }
}
