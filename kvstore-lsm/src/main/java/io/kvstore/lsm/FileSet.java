package io.kvstore.lsm;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.StorageFile;
import io.kvstore.lsm.sstable.BlockScratch;
import io.kvstore.lsm.sstable.SsTable;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.sstable.SsTableOptions;
import io.kvstore.lsm.sstable.SsTableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of one table and the manifest that names them: opens them, makes new ones, and changes which of them count.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A file is synced, and its name too, before the manifest names it; it is deleted only when a manifest that does not
 *       name it is durable. So what the manifest names is there, in full, after any crash.
 *   <li>A file the manifest does not name is left over from a crash or a failure, and goes when the table is opened.
 *   <li>A directory without a manifest is a new table only if nothing is in it but the manifest's temporary file.
 * </ol>
 *
 * <p>Lock: the monitor of this object serialises changes, held over the manifest's I/O; that of {@link Versions} is taken
 * inside. A job that waits for the log does so before.
 */
final class FileSet {

    private static final Pattern TABLE_NAME = Pattern.compile("\\d{8,19}\\.sst");

    private static final Comparator<TableFile> NEWEST_FIRST =
            Comparator.comparingLong((TableFile file) -> file.info().number()).reversed();
    private static final Comparator<TableFile> BY_KEY = (left, right) ->
            Arrays.compareUnsigned(left.info().minKey(), right.info().minKey());

    private final TableContext context;
    private final SsTableOptions format;
    private final Manifest manifest;
    private final AtomicLong nextNumber = new AtomicLong(1);
    private final BlockScratch.Pool scratches = new BlockScratch.Pool();
    private volatile long durableLsn;

    FileSet(TableContext context, LsmOptions options) {
        this.context = context;
        this.format = new SsTableOptions(
                context.fileTag(), options.maxEntriesPerBlock(), LsmOptions.BLOCK_BYTES, options.falsePositiveRate());
        this.manifest = new Manifest(context.storage(), context.directory(), context.fileTag());
    }

    /** Opens the files that the manifest names, by level; makes the manifest if the table is new. */
    List<List<TableFile>> open() throws IOException {
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
        checkPresent(state, names);
        durableLsn = state.durableLsn();
        nextNumber.set(state.nextFileNumber());
        if (!context.readOnly()) {
            deleteLeftovers(state, names);
        }
        return openFiles(state);
    }

    private void checkPresent(Manifest.State state, Set<String> names) {
        List<String> missing = new ArrayList<>();
        for (List<SsTableInfo> level : state.levels()) {
            for (SsTableInfo info : level) {
                if (!names.contains(name(info.number()))) {
                    missing.add(name(info.number()));
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new CorruptionException(
                    context.directory() + "/" + missing.getFirst(),
                    -1,
                    "files that the manifest names are missing: " + missing);
        }
    }

    private List<List<TableFile>> openFiles(Manifest.State state) throws IOException {
        List<List<TableFile>> levels = new ArrayList<>();
        List<TableFile> opened = new ArrayList<>();
        boolean complete = false;
        try {
            for (int level = 0; level < state.levels().size(); level++) {
                String fault = faultOf(level, state.levels().get(level));
                if (fault != null) {
                    throw new CorruptionException(manifest.path(), -1, fault);
                }
                List<TableFile> files = new ArrayList<>();
                for (SsTableInfo info : state.levels().get(level)) {
                    files.add(open(info));
                    opened.add(files.getLast());
                }
                levels.add(files);
            }
            complete = true;
        } finally {
            if (!complete) {
                opened.forEach(TableFile::discard);
            }
        }
        return levels;
    }

    /** What is wrong with the order of a level's files, or null. */
    static @Nullable String faultOf(int level, List<SsTableInfo> files) {
        for (int i = 1; i < files.size(); i++) {
            SsTableInfo before = files.get(i - 1);
            SsTableInfo after = files.get(i);
            boolean inOrder = level == 0
                    ? before.number() > after.number()
                    : Arrays.compareUnsigned(before.maxKey(), after.minKey()) < 0;
            if (!inOrder) {
                return "in level " + level + " " + after + " does not follow " + before;
            }
        }
        return null;
    }

    private void deleteLeftovers(Manifest.State state, Set<String> names) throws IOException {
        Set<String> named = new TreeSet<>();
        state.levels().forEach(level -> level.forEach(info -> named.add(name(info.number()))));
        for (String name : names) {
            if (TABLE_NAME.matcher(name).matches() && !named.contains(name)) {
                long number = Long.parseLong(name.substring(0, name.indexOf('.')));
                nextNumber.accumulateAndGet(number + 1, Math::max);
                context.storage().delete(context.directory() + "/" + name);
            }
        }
    }

    private static String name(long number) {
        return String.format("%08d.sst", number);
    }

    private String path(long number) {
        return context.directory() + "/" + name(number);
    }

    private TableFile open(SsTableInfo info) throws IOException {
        StorageFile file = context.storage().openReadOnly(path(info.number()));
        boolean opened = false;
        try {
            TableFile result = new TableFile(
                    new SsTable(file, info, context.fileTag(), scratches), context.storage(), context.memory());
            opened = true;
            return result;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    /** A new file; {@link Output#close} deletes it unless {@link Output#finish} was called. */
    Output create() throws IOException {
        return new Output(nextNumber.getAndIncrement());
    }

    /** A file that is being written. */
    final class Output implements AutoCloseable {

        private final StorageFile file;
        private final SsTableWriter writer;
        private boolean finished;

        private Output(long number) throws IOException {
            file = context.storage().create(path(number));
            boolean begun = false;
            try {
                writer = new SsTableWriter(file, number, format);
                begun = true;
            } finally {
                if (!begun) {
                    close();
                }
            }
        }

        SsTableWriter writer() {
            return writer;
        }

        /** Completes, syncs and opens the file. Its name is not durable yet. */
        TableFile finish() throws IOException {
            SsTableInfo info = writer.finish();
            Manifest.sync(file);
            TableFile opened = open(info);
            finished = true;
            return opened;
        }

        @Override
        public void close() throws IOException {
            try {
                file.close();
            } finally {
                if (!finished) {
                    context.storage().delete(file.path());
                }
            }
        }
    }

    /**
     * A change of the files that count.
     *
     * @param added new files with their level
     * @param moved files with their new level
     * @param removed files that go
     * @param durableLsn up to where the files hold everything afterwards; 0 if that stays
     */
    record Edit(List<Placed> added, List<Placed> moved, List<TableFile> removed, long durableLsn) {

        /** A file and its level. */
        record Placed(int level, TableFile file) {}
    }

    /** Makes a change durable and then visible. The new files of a change that fails are discarded. */
    void commit(Versions versions, Edit edit, boolean flushed) throws IOException {
        boolean unknown = false;
        boolean committed = false;
        try {
            if (!edit.added().isEmpty()) {
                syncNames();
            }
            synchronized (this) {
                List<List<TableFile>> levels = changed(versions.current().levels(), edit);
                long lsn = Math.max(durableLsn, edit.durableLsn());
                manifest.write(new Manifest.State(lsn, nextNumber.get(), infos(levels)));
                committed = true;
                edit.removed().forEach(TableFile::markObsolete);
                versions.replace(now -> flushed ? now.withFlushed(levels) : now.withLevels(levels));
                durableLsn = lsn;
            }
        } catch (FinalFailureException e) {
            unknown = true;
            throw e;
        } finally {
            if (!committed) {
                discard(edit, unknown);
            }
        }
        versions.retireReplaced();
    }

    private static void discard(Edit edit, boolean unknown) {
        for (Edit.Placed added : edit.added()) {
            if (!unknown) {
                added.file().markObsolete();
            }
            added.file().discard();
        }
    }

    private void syncNames() throws FinalFailureException {
        try {
            context.storage().syncDirectory(context.directory());
        } catch (IOException e) {
            throw new FinalFailureException(context.directory() + " could not be synced", e);
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

    private static List<List<SsTableInfo>> infos(List<List<TableFile>> levels) {
        return levels.stream()
                .map(level -> level.stream().map(TableFile::info).toList())
                .toList();
    }

    /** The number of the file that was made last. */
    long newestNumber() {
        return nextNumber.get() - 1;
    }

    long durableLsn() {
        return durableLsn;
    }

    /** Compares the manifest on disk with what is in memory. */
    synchronized void verifyManifest(Versions versions, Findings findings) throws IOException {
        try {
            Manifest.State state = manifest.read();
            boolean isEqual = state == null
                    ? context.readOnly() && versions.current().infos().stream().allMatch(List::isEmpty)
                    : state.durableLsn() == durableLsn
                            && state.levels().equals(versions.current().infos());
            if (!isEqual) {
                findings.report(manifest.path(), -1, "the manifest is not the one that was written last");
            }
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
    }
}
