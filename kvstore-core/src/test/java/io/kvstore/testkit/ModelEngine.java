package io.kvstore.testkit;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.Progress;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.OverloadedException;
import io.kvstore.memory.MemoryBudget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The least engine that keeps every rule of the SPI: a sorted map of versions in memory, written to one file as a whole at
 * each checkpoint. For tests of what is above the SPI, and to show what an engine has to do.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A version is never changed. It is dropped when a newer one of its key exists that is durable, at or below every open
 *       snapshot.
 *   <li>A reader is inside an epoch while it looks, and a version is dropped only when those have left that may need it.
 *   <li>{@code appliedLsn} moves after the versions of its operation are in the map, so a scan at that lsn sees whole
 *       operations only.
 * </ol>
 */
final class ModelEngine implements TableEngine {

    private final TableContext context;
    private final ModelFile file;
    private final long limitBytes;
    private final ConcurrentSkipListMap<Version, Version> versions;
    private final AtomicLong heldBytes = new AtomicLong();
    private volatile long appliedLsn;
    private volatile long durableLsn;

    /** Of the operation that was reserved, and its keys after it was applied. */
    private final List<Version> reserved = new ArrayList<>();

    private final Set<byte[]> applied = new TreeSet<>(KeyOrder.COMPARATOR);

    /** One state of a key. What is reserved has no lsn yet, which is above all others, as the one will be that it gets. */
    static final class Version {

        private static final long NONE = Long.MAX_VALUE;
        private static final long OLDEST = 0;

        private final byte[] key;
        private final byte @Nullable [] value;
        private volatile long lsn;

        /** @param value null after a removal */
        Version(byte[] key, long lsn, byte @Nullable [] value) {
            this.key = key;
            this.lsn = lsn;
            this.value = value;
        }

        byte[] key() {
            return key;
        }

        long lsn() {
            return lsn;
        }

        byte @Nullable [] value() {
            return value;
        }

        void apply(long operation) {
            lsn = operation;
        }

        long bytes() {
            return 64L + key.length + (value == null ? 0 : value.length);
        }
    }

    /** @param keys the order of keys, which may be any other than that of bytes if the engine is said to have none */
    ModelEngine(TableContext context, Comparator<byte[]> keys) throws IOException {
        this.context = context;
        this.versions = new ConcurrentSkipListMap<>(
                Comparator.comparing(Version::key, keys).thenComparing(Version::lsn, Comparator.reverseOrder()));
        this.limitBytes = context.properties().wholeNumber(ModelEngineProvider.MEMORY_LIMIT);
        this.file = new ModelFile(context.storage(), context.directory(), context.fileTag());
        durableLsn = file.read(this::add);
        appliedLsn = durableLsn;
    }

    @Override
    public byte @Nullable [] get(byte[] key, ReadView view) {
        int ticket = context.epochs().enter();
        long lsn;
        Version found;
        try {
            lsn = Math.min(view.lsn(), appliedLsn);
            found = at(key, lsn);
        } finally {
            context.epochs().exit(ticket);
        }
        answer(view, found == null ? lsn : found.lsn());
        return found == null || found.value() == null ? null : found.value().clone();
    }

    private @Nullable Version at(byte[] key, long lsn) {
        Version found = versions.ceilingKey(new Version(key, lsn, null));
        return found != null && KeyOrder.compare(found.key(), key) == 0 ? found : null;
    }

    private void answer(ReadView view, long lsn) {
        if (view.barrier()) {
            context.barrier().beforeAnswer(lsn);
        }
    }

    @Override
    public EngineCursor scan(KeyRange range, ReadView view) {
        Visible found = visible(range, view.lsn());
        answer(view, found.lsn());
        return new ModelCursor(found.versions());
    }

    private record Visible(long lsn, List<Version> versions) {}

    private Visible visible(KeyRange range, long viewLsn) {
        int ticket = context.epochs().enter();
        try {
            long lsn = Math.min(viewLsn, appliedLsn);
            List<Version> found = visibleAt(range, lsn);
            return new Visible(lsn, range.reversed() ? found.reversed() : found);
        } finally {
            context.epochs().exit(ticket);
        }
    }

    private List<Version> visibleAt(KeyRange range, long lsn) {
        List<Version> found = new ArrayList<>();
        byte @Nullable [] decided = null;
        for (Version version : from(range).keySet()) {
            if (range.isAbove(version.key())) {
                break;
            }
            boolean first = decided == null || KeyOrder.compare(decided, version.key()) != 0;
            if (first && version.lsn() <= lsn && !range.isBelow(version.key())) {
                decided = version.key();
                if (version.value() != null) {
                    found.add(version);
                }
            }
        }
        return found;
    }

    /** The versions from the first one on that a range may have. */
    private Map<Version, Version> from(KeyRange range) {
        if (range.after() != null) {
            return versions.tailMap(new Version(range.after(), Version.OLDEST, null), false);
        }
        return range.lower() == null ? versions : versions.tailMap(new Version(range.lower(), Long.MAX_VALUE, null));
    }

    @Override
    public boolean contains(byte[] key, ReadView view) {
        return get(key, view) != null;
    }

    @Override
    public long count(KeyRange range, ReadView view) {
        Visible found = visible(range, view.lsn());
        answer(view, found.lsn());
        return Math.min(range.limit(), found.versions().size());
    }

    @Override
    public void admit(long bytes) {
        boolean room = context.background()
                .waiter()
                .await(() -> heldBytes.get() + bytes <= limitBytes, context.stallTimeoutMillis());
        if (!room) {
            throw new OverloadedException("the table holds " + heldBytes + " bytes and takes at most " + limitBytes);
        }
    }

    /** Puts what applying needs where it will be; nobody sees it before it has an lsn. */
    @Override
    public @Nullable Load reserve(List<Mutation> mutations) {
        applied.forEach(this::dropOld);
        applied.clear();
        for (Mutation mutation : mutations) {
            byte @Nullable [] value =
                    mutation instanceof Mutation.Put put ? put.value().clone() : null;
            Version version = new Version(mutation.key(), Version.NONE, value);
            reserved.removeIf(before -> KeyOrder.compare(before.key(), version.key()) == 0);
            add(version);
            reserved.add(version);
            applied.add(version.key());
        }
        return null;
    }

    @Override
    public void cancel(List<Mutation> mutations) {
        reserved.forEach(this::drop);
        reserved.clear();
        applied.clear();
    }

    @Override
    public void apply(long lsn, List<Mutation> mutations) {
        if (lsn <= appliedLsn) {
            throw new IllegalStateException("lsn " + lsn + " after " + appliedLsn);
        }
        for (int i = 0; i < reserved.size(); i++) {
            reserved.get(i).apply(lsn);
        }
        reserved.clear();
        appliedLsn = lsn;
    }

    /** The last of several versions with one key and lsn wins. */
    private void add(Version version) {
        drop(version);
        versions.put(version, version);
        heldBytes.addAndGet(version.bytes());
        context.memory().take(MemoryBudget.Use.MEMTABLE, version.bytes());
    }

    private void drop(Version version) {
        Version dropped = versions.remove(version);
        if (dropped != null) {
            heldBytes.addAndGet(-dropped.bytes());
            context.memory().release(MemoryBudget.Use.MEMTABLE, dropped.bytes());
        }
    }

    @Override
    public long appliedLsn() {
        return appliedLsn;
    }

    @Override
    public boolean looksBack() {
        return true;
    }

    /** What is durable is looked at before the snapshots: one that is opened later sees no less. */
    private void dropOld(byte[] key) {
        long durable = newestDurable(key);
        long[] open = context.snapshots().openLsns();
        int next = open.length - 1;
        long keptAbove = Long.MAX_VALUE;
        Iterator<Version> newestFirst = versions.tailMap(new Version(key, Long.MAX_VALUE, null))
                .keySet()
                .iterator();
        while (newestFirst.hasNext()) {
            Version version = newestFirst.next();
            if (KeyOrder.compare(version.key(), key) != 0) {
                return;
            }
            while (next >= 0 && open[next] >= keptAbove) {
                next--;
            }
            if (version.lsn() == Version.NONE) {
                continue;
            }
            boolean newest = keptAbove > durable;
            if (newest || (next >= 0 && open[next] >= version.lsn())) {
                keptAbove = version.lsn();
            } else {
                context.epochs().retire(() -> drop(version));
            }
        }
    }

    /** The newest version of a key that no power loss takes back; 0 if there is none. */
    private long newestDurable(byte[] key) {
        for (Version version :
                versions.tailMap(new Version(key, Long.MAX_VALUE, null)).keySet()) {
            if (KeyOrder.compare(version.key(), key) != 0) {
                return 0;
            }
            if (version.lsn() != Version.NONE && context.barrier().isPassed(version.lsn())) {
                return version.lsn();
            }
        }
        return 0;
    }

    @Override
    public synchronized long checkpoint() throws IOException {
        if (appliedLsn > durableLsn) {
            Visible all = visible(KeyRange.all(), Long.MAX_VALUE);
            context.barrier().beforeCommitPoint(all.lsn());
            file.write(all.lsn(), all.versions());
            durableLsn = all.lsn();
        }
        return durableLsn;
    }

    @Override
    public long durableLsn() {
        return durableLsn;
    }

    /** The file is replaced by the next checkpoint, so its bytes are kept. */
    @Override
    public synchronized FileHold hold() throws IOException {
        byte[] bytes = file.bytesOrNull();
        return FileHold.of(durableLsn, bytes == null ? List.of() : List.of(HeldFile.of(ModelFile.NAME, bytes)));
    }

    @Override
    public void flush() throws IOException {
        checkpoint();
    }

    @Override
    public void optimize(Progress progress) throws IOException {
        if (progress.advanced(0, 1)) {
            checkpoint();
        }
    }

    @Override
    public EngineStats stats() {
        return new EngineStats(
                versions.size(),
                heldBytes.get(),
                file.bytes(),
                durableLsn,
                List.of(new EngineStats.Measure("versions_count", versions.size(), "States of keys held.")));
    }

    @Override
    public synchronized void verify(Findings findings) throws IOException {
        try {
            file.read(version -> findings.requireGoing());
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        for (Version version : versions.keySet()) {
            drop(version);
        }
    }
}
