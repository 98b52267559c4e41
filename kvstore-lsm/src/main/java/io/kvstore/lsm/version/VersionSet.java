package io.kvstore.lsm.version;

import io.kvstore.engine.FileHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Shortage;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.StorageDirectory;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.value.ValueLog;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The files of one table and the manifest that names them. Opens the files and changes which of them count.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A file and its name are synced before the manifest names the file. A file is deleted only when a manifest that does
 *       not name it is durable. So all files that the manifest names are there, in full, after any crash.
 *   <li>A file that the manifest does not name is left over from a crash or a failure. It goes when the table is opened.
 *   <li>A directory without a manifest is a new table only if it contains nothing but the manifest's temporary file.
 * </ol>
 *
 * <p>Lock: the monitor of this object serialises changes and is held over the manifest's I/O. The monitor of
 * {@link VersionHistory} is taken inside. A job that waits for the log does so before it takes either.
 */
public final class VersionSet {

    private static final Comparator<TableFile> NEWEST_FIRST =
            Comparator.comparingLong((TableFile file) -> file.info().maxLsn()).reversed();
    private static final Comparator<TableFile> BY_KEY = (left, right) ->
            Arrays.compareUnsigned(left.info().minKey(), right.info().minKey());

    private final TableContext context;
    private final DataFiles files;
    private final ValueLog log;
    private final Manifest manifest;
    private volatile long durableLsn;

    public VersionSet(TableContext context, DataFiles files, ValueLog log) {
        this.context = context;
        this.files = files;
        this.log = log;
        this.manifest = new Manifest(context.storage(), context.directory(), context.fileTag());
    }

    /**
     * The open files that the manifest names.
     *
     * @param levels SSTables by level
     * @param values value segments, with a lease for the manifest
     */
    public record Opened(List<List<TableFile>> levels, LiveSegments values) {

        /** Closes the SSTables that no version has or had. The value log closes the segments. */
        void giveUp() {
            levels.forEach(level -> level.forEach(TableFile::discardIfNew));
        }
    }

    /**
     * Opens the files that the manifest names. Makes the manifest if the table is new. Value segments that it does not name may
     * be used again; SSTables that it does not name are deleted.
     */
    public Opened open() throws IOException {
        Set<String> names = new TreeSet<>(context.storage().list(context.directory()));
        Manifest.State state = manifest.read();
        if (state == null) {
            names.remove(Manifest.NAME + AtomicFile.TEMPORARY);
            if (!names.isEmpty()) {
                throw new CorruptionException(manifest.path(), -1, "is missing beside " + names);
            }
            state = Manifest.State.empty();
            if (!context.readOnly()) {
                manifest.write(state);
            }
        }
        Set<String> wanted = namesIn(state);
        checkPresent(wanted, names);
        durableLsn = state.durableLsn();
        files.met(state.nextFileNumber() - 1);
        if (!context.readOnly()) {
            takeLeftovers(wanted, names);
        }
        return openFiles(state);
    }

    /**
     * Opens the files that there are, to be read only.
     *
     * @param losses gets the files that cannot be opened
     */
    public Opened openDamaged(Findings losses) throws IOException {
        Opened opened = new DamagedFiles(context, files, log, manifest, losses).open();
        durableLsn = opened.levels().stream()
                .flatMap(List::stream)
                .mapToLong(table -> table.info().maxLsn())
                .max()
                .orElse(0);
        return opened;
    }

    static Set<String> namesIn(Manifest.State state) {
        Set<String> names = new TreeSet<>();
        state.levels()
                .forEach(level -> level.forEach(
                        file -> names.add(DataFiles.tableName(file.table().number()))));
        state.segments().forEach(info -> names.add(ValueSegment.fileName(info.number())));
        return names;
    }

    private void checkPresent(Set<String> wanted, Set<String> names) {
        List<String> missing =
                wanted.stream().filter(name -> !names.contains(name)).toList();
        if (!missing.isEmpty()) {
            throw new CorruptionException(
                    context.directory() + "/" + missing.getFirst(),
                    -1,
                    "files that the manifest names are missing: " + missing);
        }
    }

    private Opened openFiles(Manifest.State state) throws IOException {
        List<List<TableFile>> levels = new ArrayList<>();
        List<TableFile> tables = new ArrayList<>();
        List<StoredSegment> segments = new ArrayList<>();
        try {
            for (int level = 0; level < state.levels().size(); level++) {
                List<TableFile> inLevel = new ArrayList<>();
                for (Manifest.Listed file : state.levels().get(level)) {
                    TableFile table = add(tables, files.open(file.table()));
                    table.describe(file.contents());
                    inLevel.add(table);
                }
                String fault =
                        faultOf(level, inLevel.stream().map(TableFile::info).toList());
                if (fault != null) {
                    throw new CorruptionException(manifest.path(), -1, fault);
                }
                levels.add(inLevel);
            }
            for (ValueSegmentInfo info : state.segments()) {
                segments.add(log.open(new ValueSegmentUse(info, 0)));
            }
            LiveSegments values = LiveSegments.of(log, segments, tables);
            if (values.segments().size() != segments.size()) {
                throw new CorruptionException(manifest.path(), -1, "names a value segment that no SSTable points into");
            }
            return new Opened(levels, values);
        } catch (Throwable e) {
            tables.forEach(TableFile::discardIfNew);
            throw e;
        }
    }

    /** Adds an opened file to a list, or closes the file if that fails. */
    static TableFile add(List<TableFile> kept, TableFile file) {
        try {
            kept.add(file);
            return file;
        } catch (Throwable e) {
            file.discardIfNew();
            throw e;
        }
    }

    /** Describes the first fault in the order of a level's files. Returns null if there is none. */
    public static @Nullable String faultOf(int level, List<SsTableInfo> files) {
        for (int i = 1; i < files.size(); i++) {
            SsTableInfo before = files.get(i - 1);
            SsTableInfo after = files.get(i);
            boolean inOrder = level == 0
                    ? before.minLsn() > after.maxLsn()
                    : Arrays.compareUnsigned(before.maxKey(), after.minKey()) < 0;
            if (!inOrder) {
                return "in level " + level + " " + after + " does not follow " + before;
            }
        }
        return null;
    }

    private void takeLeftovers(Set<String> wanted, Set<String> names) throws IOException {
        for (String name : names) {
            long number = DataFiles.numberOf(name);
            if (number > 0 && !wanted.contains(name)) {
                files.met(number);
                String path = context.directory() + "/" + name;
                if (name.equals(ValueSegment.fileName(number))) {
                    log.reuse(path);
                } else {
                    context.storage().delete(path);
                }
            }
        }
    }

    /**
     * A change of the files that count.
     *
     * @param added new SSTables with their level
     * @param moved SSTables with their new level
     * @param removed SSTables that go
     * @param segments new value segments, of which the caller has leases; old ones go when nothing points to them any more
     * @param durableLsn the lsn up to which the files hold every operation after the change; 0 if that does not change
     */
    public record Edit(
            List<Placed> added,
            List<Placed> moved,
            List<TableFile> removed,
            List<StoredSegment> segments,
            long durableLsn) {

        public record Placed(int level, TableFile file) {}

        public static Edit ofMoved(List<Placed> moved) {
            return new Edit(List.of(), moved, List.of(), List.of(), 0);
        }

        List<TableFile> addedFiles() {
            return added.stream().map(Placed::file).toList();
        }
    }

    /**
     * Makes a change durable and then visible. After a failure the new SSTables are discarded, and deleted unless the manifest
     * may name them; the caller gives back its leases of new segments. An exception is final if the manifest may name the new
     * files when it is thrown.
     */
    public void commit(VersionHistory versions, Edit edit, boolean flushed) throws IOException {
        boolean[] isNamed = new boolean[1];
        boolean committed = false;
        try {
            if (!edit.added().isEmpty()) {
                syncNames();
            }
            replace(versions, edit, flushed, isNamed);
            committed = true;
        } catch (RuntimeException | Error e) {
            if (isNamed[0] || !Shortage.isCauseOf(e)) {
                context.failures().fail(e);
            }
            throw e;
        } finally {
            if (!committed) {
                giveUp(edit);
            }
        }
        versions.retireReplaced();
    }

    /** @param isNamed set if the manifest may name the new files afterwards */
    private synchronized void replace(VersionHistory versions, Edit edit, boolean flushed, boolean[] isNamed)
            throws IOException {
        Version before = versions.current();
        List<List<TableFile>> levels = changed(before.levels().files(), edit);
        LiveSegments values = before.values().with(edit.segments(), edit.addedFiles(), edit.removed());
        long lsn = Math.max(durableLsn, edit.durableLsn());
        StoredSegment[] emptied = minus(before.values(), values);
        Manifest.State state = new Manifest.State(lsn, files.nextNumber(), listed(levels), values.infos());
        write(state, edit, minus(values, before.values()), isNamed);
        versions.replace(now -> {
            Version next = now.with(levels, values, flushed);
            edit.removed().forEach(TableFile::markObsolete);
            for (StoredSegment segment : emptied) {
                segment.markEmptied();
            }
            return next;
        });
        for (StoredSegment segment : emptied) {
            segment.release();
        }
        durableLsn = lsn;
    }

    /** Writes the manifest. New files that it may name are kept for it; to keep them, and to give that up, takes no memory. */
    private void write(Manifest.State state, Edit edit, StoredSegment[] named, boolean[] isNamed) throws IOException {
        setNamed(edit, true);
        for (StoredSegment segment : named) {
            segment.retain();
        }
        try {
            manifest.write(state);
            isNamed[0] = true;
        } finally {
            isNamed[0] |= manifest.isUncertain();
            if (!isNamed[0]) {
                setNamed(edit, false);
                for (StoredSegment segment : named) {
                    segment.release();
                }
            }
        }
    }

    private static void setNamed(Edit edit, boolean isNamed) {
        for (int i = 0; i < edit.added().size(); i++) {
            edit.added().get(i).file().setNamed(isNamed);
        }
    }

    /** The segments of one list that another one does not have. */
    private static StoredSegment[] minus(LiveSegments some, LiveSegments others) {
        return some.segments().stream()
                .filter(segment -> !others.has(segment.number()))
                .toArray(StoredSegment[]::new);
    }

    /** Discards the new SSTables of a failed change. Files that a version has stay with it. */
    private static void giveUp(Edit edit) {
        for (int i = 0; i < edit.added().size(); i++) {
            edit.added().get(i).file().abandon();
        }
    }

    private void syncNames() throws IOException {
        try (StorageDirectory names = context.storage().openDirectory(context.directory())) {
            Manifest.sync(names, context.directory());
        }
    }

    private static List<List<TableFile>> changed(List<List<TableFile>> levels, Edit edit) {
        Set<TableFile> gone = new HashSet<>(edit.removed());
        edit.moved().forEach(moved -> gone.add(moved.file()));
        List<Edit.Placed> placed = new ArrayList<>(edit.added());
        placed.addAll(edit.moved());
        List<List<TableFile>> result = new ArrayList<>();
        for (int level = 0; level < levels.size(); level++) {
            List<TableFile> files = new ArrayList<>(levels.get(level));
            files.removeAll(gone);
            for (Edit.Placed one : placed) {
                if (one.level() == level) {
                    files.add(one.file());
                }
            }
            files.sort(level == 0 ? NEWEST_FIRST : BY_KEY);
            String fault = faultOf(level, files.stream().map(TableFile::info).toList());
            if (fault != null) {
                throw new IllegalStateException(fault);
            }
            result.add(files);
        }
        return result;
    }

    private static List<List<Manifest.Listed>> listed(List<List<TableFile>> levels) {
        return levels.stream()
                .map(level -> level.stream().map(TableFile::listed).toList())
                .toList();
    }

    public long newestNumber() {
        return files.nextNumber() - 1;
    }

    public long durableLsn() {
        return durableLsn;
    }

    /** Holds the files of the state that the manifest has now. No change of it is under way meanwhile. */
    public synchronized FileHold hold(VersionHistory versions) {
        Levels levels = versions.holdLevels();
        try {
            Manifest.State state = new Manifest.State(
                    durableLsn,
                    files.nextNumber(),
                    listed(levels.files()),
                    levels.values().infos());
            byte[] content = manifest.encode(state).toArray();
            FileHold hold = FileHold.of(durableLsn, HeldFiles.of(context, levels, state, content));
            levels.retainFiles();
            return hold;
        } finally {
            versions.letGo(levels);
        }
    }

    /** Compares the manifest on disk with the state in memory. */
    public synchronized void verifyManifest(VersionHistory versions, Findings findings) throws IOException {
        try {
            Manifest.State state = manifest.read();
            boolean isEqual = state == null
                    ? context.readOnly()
                            && versions.current().levels().infos().stream().allMatch(List::isEmpty)
                    : state.durableLsn() == durableLsn
                            && state.levels()
                                    .equals(listed(versions.current().levels().files()))
                            && state.segments()
                                    .equals(versions.current().values().infos());
            if (!isEqual) {
                findings.report(manifest.path(), -1, "the manifest is not the one that was written last");
            }
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
    }
}
