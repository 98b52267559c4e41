package io.kvstore.lsm;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Measures;
import io.kvstore.engine.Progress;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.Notices;
import io.kvstore.lsm.compaction.Damage;
import io.kvstore.lsm.compaction.TableParts;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.lsm.sstable.SsTable;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.version.DataFiles;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.LiveSegments;
import io.kvstore.lsm.version.LsmCursor;
import io.kvstore.lsm.version.SpaceDebt;
import io.kvstore.lsm.version.TableFile;
import io.kvstore.lsm.version.Version;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.lsm.version.VersionSet;
import io.kvstore.value.ValueIndex;
import io.kvstore.value.ValueLog;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.LentValue;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A log-structured merge tree: writes gather in a memtable, full memtables become files, files are merged in the background.
 *
 * <p>A reader finds all entries through one immutable {@link Version}. {@link MemTables} is the writers' side,
 * {@link Maintenance} the background's. {@link VersionSet} has the files on disk.
 *
 * <p>Locks, in the order in which they are taken: the table's write lock, which is the store's; the state of {@link MemTables}
 * or the monitor of {@link VersionSet}; the monitor of {@link VersionHistory}. Only the monitor of {@link VersionSet} is held
 * over I/O.
 */
final class LsmEngine implements TableEngine {

    private final TableContext context;
    private final VersionSet files;
    private final SeparatedValues apart;
    private final VersionHistory versions;
    private final Maintenance maintenance;
    private final MemTables memTables;
    private final ValueIndex index;
    private final IndexedEntries indexed;
    private final LsmCursor.Shared shared;
    private final Damage damage;
    private final SpaceDebt debt;
    private final AtomicReference<LsmOptions> options;

    private LsmEngine(TableParts parts, AtomicReference<LsmOptions> options) {
        this.options = options;
        this.context = parts.context();
        this.files = parts.files();
        this.apart = parts.apart();
        this.versions = parts.versions();
        this.damage = parts.damage();
        this.debt = parts.debt();
        this.maintenance = new Maintenance(parts);
        this.memTables = new MemTables(parts, maintenance);
        this.index = new ValueIndex(apart.known(), apart.log());
        this.indexed = new IndexedEntries(parts, memTables, index);
        this.shared = new LsmCursor.Shared(versions, memTables.gaps(), maintenance::scattered);
    }

    /** Opens a table. When that fails, nothing of it stays open. */
    static LsmEngine open(TableContext context, LsmOptions options) throws IOException {
        return open(context, options, VersionSet::open);
    }

    /** Opens what is left of a table whose manifest is damaged. */
    static LsmEngine openDamaged(TableContext context, LsmOptions options, Findings losses) throws IOException {
        return open(context, options, files -> files.openDamaged(losses));
    }

    @FunctionalInterface
    private interface FilesOpener {
        VersionSet.Opened open(VersionSet files) throws IOException;
    }

    private static LsmEngine open(TableContext context, LsmOptions options, FilesOpener opener) throws IOException {
        DataFiles data = new DataFiles(context, options);
        SeparatedValues apart = SeparatedValues.of(context, options, data::takeNumber);
        Version first = null;
        LsmEngine engine = null;
        try {
            VersionSet files = new VersionSet(context, data, apart.log());
            DiskRoom room = new DiskRoom(context.storage());
            MemTable active = MemTables.fresh(context, options, apart);
            AtomicReference<LsmOptions> now = new AtomicReference<>(options);
            first = Version.of(now::get, room, active, opener.open(files));
            VersionHistory versions = new VersionHistory(context.epochs(), first);
            SpaceDebt debt = new SpaceDebt(context, now::get, apart.log(), room, versions);
            TableParts parts = new TableParts(context, now::get, data, apart, files, versions, new Damage(), debt);
            engine = new LsmEngine(parts, now);
            engine.start();
            return engine;
        } catch (Throwable e) {
            giveUp(context, engine, first, apart);
            throw e;
        }
    }

    private void start() {
        memTables.start();
        maintenance.start(memTables::switchIfWorthwhile);
    }

    /** Closes the parts of a table that failed to open. A failure is logged only, because the one before it is thrown. */
    private static void giveUp(
            TableContext context, @Nullable LsmEngine engine, @Nullable Version first, SeparatedValues apart) {
        try {
            if (engine != null) {
                engine.close();
                return;
            }
            try (apart) {
                if (first != null) {
                    first.release();
                }
            }
        } catch (Throwable e) {
            Notices.warning(LsmEngine.class, context.directory(), "not all could be closed after it failed to open", e);
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key, ReadView view) throws IOException {
        Lookup lookup = find(key, view, null);
        awaitDurable(lookup, view);
        return lookup.value();
    }

    @Override
    public <T extends @Nullable Object> T read(byte[] key, ReadView view, Function<@Nullable ByteBuffer, T> reader)
            throws IOException {
        try (LentValue lent = new LentValue(key)) {
            Lookup lookup = find(key, view, lent);
            boolean waits = view.barrier() && lookup.lsn() > 0;
            return lent.pass(lookup.value(), lookup.lsn(), waits ? context.barrier() : null, reader);
        }
    }

    /** Takes the version first, the lsn second: the version has whole operations up to it, and maybe parts of later ones. */
    private Lookup find(byte[] key, ReadView view, @Nullable LentValue lent) throws IOException {
        int ticket = context.epochs().enter();
        try {
            Version version = versions.current();
            Lookup lookup = Lookup.lending(key, Math.min(view.lsn(), memTables.lastLsn()), lent);
            StoredValue known = index.find(key, lookup.viewLsn(), lent);
            if (known != null) {
                lookup.found(known.lsn(), known.value());
            } else if (version.find(lookup)) {
                apart.log().noteRead();
                indexed.searched();
            }
            return lookup;
        } finally {
            context.epochs().exit(ticket);
        }
    }

    @Override
    public boolean contains(byte[] key, ReadView view) throws IOException {
        Lookup lookup;
        int ticket = context.epochs().enter();
        try {
            Version version = versions.current();
            lookup = Lookup.ofEntry(key, Math.min(view.lsn(), memTables.lastLsn()));
            version.find(lookup);
        } finally {
            context.epochs().exit(ticket);
        }
        awaitDurable(lookup, view);
        return lookup.hasValue();
    }

    private void awaitDurable(Lookup lookup, ReadView view) {
        if (view.barrier() && lookup.lsn() > 0) {
            context.barrier().beforeAnswer(lookup.lsn());
        }
    }

    @Override
    public boolean looksBack() {
        return true;
    }

    @Override
    public EngineCursor scan(KeyRange range, ReadView view) throws IOException {
        if (!range.keysOnly()) {
            apart.log().noteRead();
        }
        Version version = versions.pin();
        try {
            long lsn = Math.min(view.lsn(), memTables.lastLsn());
            if (view.barrier()) {
                context.barrier().beforeAnswer(lsn);
            }
            LsmCursor.View seen = new LsmCursor.View(lsn, view.lsn() != Long.MAX_VALUE);
            LsmCursor cursor = new LsmCursor(shared, version, range, seen);
            versions.add(cursor);
            return cursor;
        } catch (Throwable e) {
            version.release();
            throw e;
        }
    }

    @Override
    public List<byte[]> separators(KeyRange range, int wanted) {
        int ticket = context.epochs().enter();
        try {
            return versions.current().levels().separators(range, wanted);
        } finally {
            context.epochs().exit(ticket);
        }
    }

    @Override
    public void admit(long bytes) {
        memTables.admit();
        indexed.considerGrowth();
    }

    @Override
    public @Nullable Load reserve(List<Mutation> mutations) {
        return memTables.reserve(mutations);
    }

    @Override
    public void cancel(List<Mutation> mutations) {
        memTables.endOperation();
    }

    @Override
    public void apply(long lsn, List<Mutation> mutations) {
        memTables.apply(lsn, mutations);
    }

    @Override
    public void recovered() throws IOException {
        apart.log().recovered();
    }

    @Override
    public long checkpoint() throws IOException {
        long lsn = memTables.lastLsn();
        if (lsn > files.durableLsn() && !context.readOnly()) {
            memTables.switchIfAny();
            maintenance.flushThrough(lsn);
        }
        return files.durableLsn();
    }

    @Override
    public long durableLsn() {
        return files.durableLsn();
    }

    @Override
    public FileHold hold() {
        return files.hold(versions);
    }

    @Override
    public long appliedLsn() {
        return memTables.lastLsn();
    }

    @Override
    public void flush() throws IOException {
        checkpoint();
    }

    @Override
    public void optimize(Progress progress) throws IOException {
        if (!context.readOnly()) {
            checkpoint();
            maintenance.compactAll(progress);
        }
    }

    /** The hash index and the value segments keep the limits that follow from the size of memtables until the next opening. */
    @Override
    public void adopt(TableProperties properties) {
        options.set(LsmEngineProvider.options(properties));
        versions.replace(Version::adopting);
        maintenance.kick();
        context.background().waiter().signal(); // for writers that wait because of the old limits
    }

    @Override
    public EngineStats stats() {
        int ticket = context.epochs().enter();
        try {
            return stats(versions.current());
        } finally {
            context.epochs().exit(ticket);
        }
    }

    private EngineStats stats(Version version) {
        long entries = version.memTableEntries();
        long diskBytes = 0;
        long memoryBytes =
                version.memTableBytes() + apart.known().bytes() + apart.log().waitingBytes();
        Measures measures = new Measures();
        List<List<TableFile>> levels = version.levels().files();
        for (int level = 0; level < levels.size(); level++) {
            long bytes = 0;
            for (TableFile file : levels.get(level)) {
                SsTableInfo info = file.info();
                entries += Math.max(0, info.entries() - 2 * info.tombstones());
                bytes += info.bytes();
                memoryBytes += file.table().memoryBytes();
            }
            diskBytes += bytes;
            if (level == 0 || bytes > 0) {
                measures.add("level" + level + "_files", levels.get(level).size(), "Files in level " + level + ".");
                measures.add("level" + level + "_bytes", bytes, "Bytes of the files in level " + level + ".");
            }
        }
        addValueMeasures(measures, version);
        addSpaceMeasures(measures, version);
        addJobMeasures(measures, version);
        // also of segments that only readers of older versions need
        diskBytes += apart.log().fileBytes(segment -> true);
        return new EngineStats(entries, memoryBytes, diskBytes, files.durableLsn(), measures.all());
    }

    private void addValueMeasures(Measures measures, Version version) {
        LiveSegments values = version.values();
        HashIndex known = apart.known();
        ValueLog log = apart.log();
        measures.add("value_segments", values.segments().size(), "Files of values kept apart.");
        measures.add("value_bytes", values.bytes(), "Bytes of the value segments.");
        measures.add("value_live_bytes", values.liveBytes(), "Bytes of the value segments that SSTables point to.");
        String scattered = "Values that cursors found far from the one before; roughly.";
        measures.add("value_scattered_reads", values.scattered(), scattered);
        String growing = "Bytes of segments that only memtables point to.";
        measures.add("value_growing_bytes", debt.comingBytes(version), growing);
        measures.add("value_tail_bytes", log.waitingBytes(), "Bytes of values that wait for being written.");
        String uncached = "Bytes of values written past the system's cache of files, because nobody was reading.";
        measures.add("value_uncached_bytes", log.uncachedBytes(), uncached);
        measures.add("hash_index_bytes", known.bytes(), "Memory of what is known of where values are.");
        measures.add("hash_index_entries", known.entries(), "Keys whose value is found through it.");
    }

    private void addSpaceMeasures(Measures measures, Version version) {
        Levels levels = version.levels();
        measures.add("space_live_bytes", levels.space().liveBytes(), "Bytes of files that are alive, estimated.");
        measures.add("space_dead_bytes", debt.deadBytes(version), "Bytes of files beside those, estimated.");
        measures.add("space_dead_limit_bytes", debt.limitBytes(version), "Writes wait for compactions above that.");
        measures.add("space_kept_bytes", debt.pinnedBytes(levels), "Bytes that only open snapshots see.");
    }

    private void addJobMeasures(Measures measures, Version version) {
        measures.add("memtable_bytes", version.memTableBytes(), "Memory of all memtables.");
        measures.add("immutable_memtables", version.immutableCount(), "Full memtables that wait for their flush.");
        maintenance.addTo(measures);
        String passed = "Removed keys that cursors walked over, where many followed each other.";
        measures.add("removed_passed", memTables.gaps().passedKeys(), passed);
        measures.add("damaged_files", damage.count(), "Files that background work found damaged, and leaves alone.");
        measures.add("stalls", memTables.admission().stalls(), "Writes that had to wait for room.");
    }

    /** Holds files and no memtables, which would keep their memory for as long as this takes. */
    @Override
    public void verify(Findings findings) throws IOException {
        Levels levels = versions.holdLevels();
        try {
            SsTable.PointerCheck values =
                    (pointer, key, lsn) -> levels.values().read(pointer, key.array(), key.length(), lsn);
            for (int level = 0; level < levels.files().size(); level++) {
                String fault = VersionSet.faultOf(level, levels.infos().get(level));
                if (fault != null) {
                    findings.report(context.directory(), -1, fault);
                }
                for (TableFile file : levels.files().get(level)) {
                    file.table().verify(findings, values);
                }
            }
            apart.log().verify(levels.values().segments(), findings);
            files.verifyManifest(versions, findings);
        } finally {
            versions.letGo(levels);
        }
    }

    /** Closes every part, the last one first, whatever becomes of the others. */
    @Override
    public void close() throws IOException {
        try (apart;
                versions;
                maintenance;
                memTables;
                indexed) {
            // the parts are closed by the try statement
        }
    }
}
