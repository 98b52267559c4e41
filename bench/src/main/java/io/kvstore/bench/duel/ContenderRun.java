package io.kvstore.bench.duel;

import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.MemorySampler;
import io.kvstore.bench.measure.OwnProcess;
import io.kvstore.bench.measure.Rest;
import io.kvstore.bench.measure.WorkDirectory;
import io.kvstore.bench.store.Case;
import io.kvstore.bench.store.Contender;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.Crowd;
import io.kvstore.bench.store.StoreSetup;
import io.kvstore.bench.store.Worker;
import io.kvstore.bench.store.Workers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Runs all chosen cases of one contender, one after the other, in this JVM.
 *
 * @param kind the contender
 * @param settings the cases and the amount of work
 * @param parent where directories for stores are made and removed
 * @param sink gets the figures of each case when it has ended, under the names {@code case.figure}
 */
record ContenderRun(ContenderKind kind, RunSettings settings, Path parent, Consumer<Figures> sink) {

    private static final double MIB = 1 << 20;
    private static final int WARM_UP_PART = 2;
    private static final int WARM_UPS = 2;
    private static final int WARM_UP_THREADS = 4;
    private static final long WARM_UP_ENTRIES = 1_000_000;

    /** The cases in these stores run other code than the rest, so they have a warm-up of their own. */
    private static final List<Case.Home> OF_THEIR_OWN = List.of(Case.Home.BUFFERED, Case.Home.SMALL);

    /** Work in an open store. */
    @FunctionalInterface
    private interface Visit {
        void in(Contender contender, Path directory) throws Exception;
    }

    void run() throws Exception {
        List<Case> cases = settings.cases().stream().filter(kind::takesPart).toList();
        if (cases.isEmpty()) {
            return;
        }
        List<Case> others =
                cases.stream().filter(one -> !OF_THEIR_OWN.contains(one.home())).toList();
        warmUp(Case.Home.MAIN, List.of(Case.Work.PUT, Case.Work.GET, Case.Work.SCAN), writers(others));
        for (Case.Home home : OF_THEIR_OWN) {
            List<Case> there = cases.stream().filter(one -> one.home() == home).toList();
            if (!there.isEmpty()) {
                warmUp(home, List.of(Case.Work.PUT), writers(there));
            }
        }
        for (Case.Home home : Case.Home.values()) {
            List<Case> there = cases.stream().filter(one -> one.home() == home).toList();
            if (home.isShared() && !there.isEmpty()) {
                inStore(home, (contender, directory) -> runShared(contender, directory, there));
            } else {
                for (Case one : there) {
                    inStore(home, (contender, directory) -> measure(contender, directory, one));
                }
            }
        }
    }

    /** The most threads that write in one of the cases, but at least those that warm up in any case. */
    private static int writers(List<Case> cases) {
        return cases.stream()
                .filter(one -> one.work().writes())
                .mapToInt(Case::threads)
                .reduce(WARM_UP_THREADS, Math::max);
    }

    private void inStore(Case.Home home, Visit visit) throws Exception {
        try (WorkDirectory directory = WorkDirectory.in(parent);
                Contender contender = kind.open(setup(home, directory.path()))) {
            visit.in(contender, directory.path());
        }
    }

    private StoreSetup setup(Case.Home home, Path directory) {
        return new StoreSetup(
                directory,
                home.logging(),
                settings.budgetBytes(home),
                home == Case.Home.SMALL,
                settings.shape(),
                settings.entries(kind, home));
    }

    /**
     * Lets the compiler see the work that comes, in stores of their own. Every contender gets the same warm-up, as far as it
     * can do it. It runs twice, because the first flush and the first closing load new classes, and the compiler may drop code
     * that it compiled without them. The warm-up also has as many writers as the cases, because many writers meet code that
     * four do not.
     */
    private void warmUp(Case.Home home, List<Case.Work> works, int threads) throws Exception {
        long entries = Math.min(settings.entries(kind, home), WARM_UP_ENTRIES);
        for (int time = 1; time <= WARM_UPS; time++) {
            inStore(home, (contender, directory) -> {
                Workers alone = new Workers(contender, settings.shape(), entries, 1, 0);
                for (Case.Work work : possible(works, home)) {
                    alone.workThrough(work, work == Case.Work.SCAN ? entries / Worker.SCAN_ENTRIES : entries);
                }
                settle(contender);
                if (!possible(List.of(Case.Work.MIXED), home).isEmpty()) {
                    new Workers(contender, settings.shape(), entries, WARM_UP_THREADS, 0)
                            .workThrough(Case.Work.MIXED, entries);
                }
                if (threads > WARM_UP_THREADS) {
                    new Workers(contender, settings.shape(), entries, threads, 0).workThrough(Case.Work.PUT, entries);
                }
            });
        }
    }

    /**
     * Runs cases in one store. The first case loads the store; if it does not put, the store is loaded unmeasured. A pass of
     * reading follows, and then the other cases.
     */
    private void runShared(Contender contender, Path directory, List<Case> cases) throws Exception {
        Case first = cases.getFirst();
        boolean loads = first.work() == Case.Work.PUT;
        Workers alone = new Workers(contender, settings.shape(), settings.entries(kind, first.home()), 1, 0);
        if (loads) {
            measure(contender, directory, first);
        } else {
            alone.workThrough(Case.Work.PUT, alone.entries());
            settle(contender);
        }
        List<Case> rest = loads ? cases.subList(1, cases.size()) : cases;
        if (!rest.isEmpty()) {
            readPass(contender, alone, first.home());
        }
        for (Case one : rest) {
            measure(contender, directory, one);
        }
    }

    /**
     * Does gets and scans as they are measured later, so that the background work that they cause in a contender ends before.
     */
    private void readPass(Contender contender, Workers alone, Case.Home home) throws Exception {
        for (Case.Work work : possible(List.of(Case.Work.GET, Case.Work.SCAN), home)) {
            alone.workThrough(work, settings.operations(kind, pass(work, home)));
        }
        settle(contender);
    }

    private static Case pass(Case.Work work, Case.Home home) {
        return new Case("pass", work, 1, home);
    }

    /** The kinds of work that the contender can do. */
    private List<Case.Work> possible(List<Case.Work> works, Case.Home home) {
        return works.stream().filter(work -> kind.takesPart(pass(work, home))).toList();
    }

    private void measure(Contender contender, Path directory, Case one) throws Exception {
        Workers crowd = new Workers(
                contender,
                settings.shape(),
                settings.entries(kind, one.home()),
                one.threads(),
                one.name().hashCode());
        boolean byTime = one.home() == Case.Home.SYNC;
        if (byTime) {
            crowd.workFor(one.work(), settings.syncMillis() / WARM_UP_PART);
        }
        OwnProcess.forgetPeak();
        try (MemorySampler memory = new MemorySampler()) {
            long cpuNanos = OwnProcess.cpuNanos();
            long writtenBytes = OwnProcess.writtenBytes();
            long begin = System.nanoTime();
            Crowd.Done done = work(crowd, one, byTime);
            long end = one.work().writes() && !byTime ? settle(contender) : System.nanoTime();
            memory.sample();
            long operations = done.latencies().getTotalCount();
            double entryMib = settings.shape().entryBytes() / MIB;
            Figures figures = Figures.of(done.latencies(), done.seconds())
                    .with("settledPerSecond", operations / ((end - begin) / 1e9))
                    .with("cpuMicrosPerOp", (OwnProcess.cpuNanos() - cpuNanos) / 1e3 / operations)
                    .with("writtenMiB", (OwnProcess.writtenBytes() - writtenBytes) / MIB)
                    .with("putMiB", putEntries(one, operations) * entryMib)
                    .with("diskMiB", OwnProcess.diskBytes(directory) / MIB)
                    .with("liveMiB", liveEntries(one, crowd, operations) * entryMib)
                    .with("peakMiB", OwnProcess.peakBytes() / MIB)
                    .with("anonymousMiB", memory.anonymousBytes() / MIB)
                    .with("besideHeapMiB", memory.besideHeapBytes() / MIB)
                    .with("heapMiB", OwnProcess.liveHeapBytes() / MIB);
            sink.accept(figures.under(one.name()));
        }
    }

    private Crowd.Done work(Workers crowd, Case one, boolean byTime) throws InterruptedException, ExecutionException {
        return byTime
                ? crowd.workFor(one.work(), settings.syncMillis())
                : crowd.workThrough(one.work(), settings.operations(kind, one));
    }

    private static long liveEntries(Case one, Workers crowd, long operations) {
        if (one.work() == Case.Work.REMOVE) {
            return crowd.entries() - operations;
        }
        return one.home() == Case.Home.SYNC ? operations : crowd.entries();
    }

    private static double putEntries(Case one, long operations) {
        return switch (one.work()) {
            case PUT, PUT_IN_ORDER, OVERWRITE, PUT_HOT, GET_AND_PUT, QUEUE -> operations;
            case MIXED -> operations / 2.0;
            case GET, HOT, ABSENT, SCAN, REMOVE -> 0;
        };
    }

    /** Flushes, and waits for rest, so that compactions and other background work end here. Returns when it began. */
    private long settle(Contender contender) throws IOException {
        contender.flush();
        return Rest.await(settings.quietMillis());
    }
}
