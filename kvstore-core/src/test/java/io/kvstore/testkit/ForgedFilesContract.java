package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.testkit.ForgedStore.Verdict;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files whose checksums are right and whose fields are absurd. A store with such a file is refused with a typed error, or it
 * opens. If it opens, each read gives the right value or a typed error, or else a check names the fault. No other exception is
 * thrown, no work goes on for ever, and the memory that is taken does not depend on a number in a file alone. A salvage has all
 * keys, or names a loss.
 * {@code -Dkv.forged.files=} asks for more files than the least, {@code -Dkv.forged.seed=} for others, and
 * {@code -Dkv.forged.salvages=} for a salvage of one file in so many.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ForgedFilesContract {

    private static final Logger QUIET = Logger.getLogger("io.kvstore");
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WRITABLE_ONE_IN = 4;
    private static final int SALVAGED_ONE_IN = Integer.getInteger("kv.forged.salvages", 30);
    private static final int MOST_FAILURES = 20;
    private static final int REWRITTEN_KEYS = 200;
    private static final int REWRITTEN_PUTS = 5_000;

    /** A store is read in milliseconds, if its reader ends at all. */
    private static final long MOST_SECONDS = 60;

    /** Besides twice what a sound store takes. */
    private static final long MOST_BYTES_MORE = 8 << 20;

    /** Where entries are lost, upkeep reads the values again and again to which they led. */
    private static final int UPKEEP_FACTOR = 8;

    @TempDir
    Path temp;

    private final Tally tally = new Tally();
    private final ExecutorService judges =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private final SplittableRandom random = new SplittableRandom(Long.getLong("kv.forged.seed", 23));
    private final List<Sound> stores = new ArrayList<>();

    /**
     * A sound store on a disk.
     *
     * @param mostBytes the most that the thread of a forged copy may take
     */
    private record Sound(String name, StoreScenario scenario, SimStorage disk, StoreContent content, long mostBytes) {}

    /** A part of a file of a store. */
    private record Place(Sound store, String path, Forgery part) {}

    /** The engine of the tables; others besides. */
    protected abstract List<StoreScenario.Engine> engines();

    /** How many files to forge every night when nothing else is said, and otherwise a third of them. */
    protected abstract int leastFiles();

    /** The parts of a file of a table, besides those of value segments. */
    protected abstract List<Forgery> partsOf(String path, byte[] file);

    /** Makes what another file says of a forged one right. */
    protected void settle(String path, SimStorage disk) throws IOException {
        // most files have no checksum of another one
    }

    @BeforeAll
    void makeStores() {
        QUIET.setLevel(Level.OFF);
        StoreScenario scenario = StoreScenario.of(Durability.BUFFERED, engines().toArray(StoreScenario.Engine[]::new));
        for (boolean isSealed : new boolean[] {true, false}) {
            GoldenStore golden = new GoldenStore(scenario, isSealed, isSealed ? 21 : 22, tally);
            add(isSealed ? "sealed" : "killed", scenario, golden.disk(), golden.content());
        }
        SimStorage disk = new SimStorage();
        add("rewritten", scenario, disk, rewrite(scenario, disk));
    }

    private void add(String name, StoreScenario scenario, SimStorage disk, StoreContent content) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        assertEquals(Verdict.TRUE, new ForgedStore(scenario, content, disk.kill()).readAndWrite());
        long taken = THREADS.getCurrentThreadAllocatedBytes() - before;
        stores.add(new Sound(name, scenario, disk, content, 2 * taken + MOST_BYTES_MORE));
    }

    /** Changes tables so often that their files are written anew. Returns what they have. */
    private static StoreContent rewrite(StoreScenario scenario, SimStorage disk) {
        try (StoreSession session = StoreSession.open(scenario, disk)) {
            session.store().createDB("db");
            for (StoreScenario.Engine engine : scenario.engines()) {
                String name = "t" + session.store().tables("db").size();
                Properties properties = StoreScenario.properties(engine, true, scenario.durability());
                Table table = session.store().createTable("db", name, engine.name(), properties);
                for (int i = 0; i < REWRITTEN_PUTS; i++) {
                    table.put(key(i % REWRITTEN_KEYS), new byte[i % 300]);
                }
                session.store().checkpoint();
                for (int i = 0; i < REWRITTEN_KEYS; i += 3) {
                    table.remove(key(i));
                    table.put(key(i + 1), new byte[i]);
                }
                session.store().checkpoint();
            }
            return session.content();
        }
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) number, 1};
    }

    @Test
    void absurd_fields_under_right_checksums_do_no_harm() throws Exception {
        Map<String, List<Place>> kinds = new TreeMap<>();
        for (Sound store : stores) {
            for (String path : store.disk.files()) {
                byte[] file = store.disk.bytes(path);
                List<Forgery> parts = new ArrayList<>(Forgery.of(path, file));
                parts.addAll(partsOf(path, file));
                for (Forgery part : parts) {
                    requireRight(path, file, part);
                    kinds.computeIfAbsent(part.kind(), any -> new ArrayList<>()).add(new Place(store, path, part));
                }
            }
        }
        int wanted = Integer.getInteger("kv.forged.files", Sweeps.count(leastFiles() / 3, leastFiles()));
        Map<String, AssertionError> failures = new TreeMap<>();
        for (List<Place> places : kinds.values()) {
            for (int i = 0; i < wanted / kinds.size() + 1; i++) {
                forge(places.get(random.nextInt(places.size())), failures);
            }
        }
        assertTrue(tally.of("forged.REFUSED") > 0 && tally.of("forged.TRUE") > 0, "one end is never met");
        assertTrue(tally.of("forged.NAMED") > 0, "nothing is named");
        if (!failures.isEmpty()) {
            AssertionError all = new AssertionError(String.join("\n", failures.keySet()));
            failures.values().forEach(all::addSuppressed);
            throw all;
        }
    }

    /** The checksum that a part gets is the one that it has. */
    private static void requireRight(String path, byte[] file, Forgery part) {
        byte[] sealed = file.clone();
        part.seal().accept(Forgery.numbers(sealed));
        assertEquals(-1, Arrays.mismatch(file, sealed), () -> "the checksum of " + part.kind() + " in " + path);
    }

    private void forge(Place place, Map<String, AssertionError> failures) throws InterruptedException {
        Forgery part = place.part;
        int width = Math.min(1 << random.nextInt(4), part.to() - part.from());
        int at = part.from() + random.nextInt(part.to() - part.from() - width + 1);
        String what = part.kind() + ", " + width + " bytes at " + at + " of " + place.path + " in a " + place.store.name
                + " store";
        try {
            SimStorage copy = place.store.disk.kill();
            byte[] bytes = copy.bytes(place.path);
            AbsurdField.put(random, Forgery.numbers(bytes), at, width);
            part.seal().accept(Forgery.numbers(bytes));
            copy.replace(place.path, bytes);
            settle(place.path, copy);
            inTime(() -> judge(place, copy));
        } catch (TimeoutException e) {
            throw new AssertionError(
                    what + ": work goes on for ever", e); // and takes a processor from all that follows
        } catch (RuntimeException | IOException | Error e) {
            tally.count("forged.HARM");
            if (failures.size() < MOST_FAILURES) {
                failures.put(what + ": " + e, new AssertionError(what, e));
            }
        }
    }

    /** Work with files, which may fail. */
    @FunctionalInterface
    private interface FileWork {
        void run() throws IOException;
    }

    /** Does work by a thread of its own. If it does not end, the stack trace of its thread is that of the exception. */
    private void inTime(FileWork work) throws IOException, InterruptedException, TimeoutException {
        AtomicReference<Thread> worker = new AtomicReference<>();
        Future<?> done = judges.submit(() -> {
            worker.set(Thread.currentThread());
            work.run();
            return null;
        });
        try {
            done.get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            e.setStackTrace(worker.get().getStackTrace());
            throw e;
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    private void judge(Place place, SimStorage copy) throws IOException {
        boolean isSalvaged = random.nextInt(SALVAGED_ONE_IN) == 0;
        ForgedStore forged = new ForgedStore(place.store.scenario, place.store.content, copy);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        boolean isWritten = random.nextInt(WRITABLE_ONE_IN) == 0 && !isSalvaged;
        Verdict verdict = isWritten ? forged.readAndWrite() : forged.read();
        long taken = THREADS.getCurrentThreadAllocatedBytes() - before;
        tally.count("forged." + verdict);
        tally.count(place.part.kind() + "." + verdict);
        assertTrue(verdict != Verdict.LIE || !place.part.isTold(), forged.wrong());
        long most = place.store.mostBytes * (isWritten ? UPKEEP_FACTOR : 1);
        assertTrue(taken < most, () -> taken + " bytes are taken");
        assertEquals(0, copy.openResources(), "open files");
        if (isSalvaged) {
            boolean isGood = forged.isSalvagedOrNamed(Files.createTempDirectory(temp, "salvage"));
            assertTrue(
                    isGood || !place.part.isTold(),
                    () -> "the salvage names no loss: " + forged.wrong() + ", verdict " + verdict);
        }
    }

    @AfterAll
    void report(TestReporter reporter) {
        QUIET.setLevel(null);
        judges.shutdownNow();
        tally.report(reporter, "Forged files, " + getClass().getSimpleName());
    }
}
