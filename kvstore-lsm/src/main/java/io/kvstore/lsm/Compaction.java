package io.kvstore.lsm;

import io.kvstore.engine.TableContext;
import io.kvstore.lsm.sstable.EntryCursor;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.sstable.SsTableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Merges files of one level with those they overlap in the next, into new files of that level. What goes and what stays is
 * decided by {@link Retention}. A job that fails leaves everything as it was: its files do not count before the manifest
 * names them. All versions of a key go to one file, so that the files of a level have no key in common.
 */
final class Compaction {

    private static final int READ_AHEAD_BYTES = 256 << 10;

    private final TableContext context;
    private final LsmOptions options;
    private final FileSet files;
    private final Versions versions;
    private final BooleanSupplier stopped;

    Compaction(TableContext context, LsmOptions options, FileSet files, Versions versions, BooleanSupplier stopped) {
        this.context = context;
        this.options = options;
        this.files = files;
        this.versions = versions;
        this.stopped = stopped;
    }

    /** Carries out a choice made from the current version; one caller at a time. Returns the bytes written. */
    long run(CompactionPicker.Choice choice) throws IOException {
        Version version = versions.pin();
        try {
            List<TableFile> upper = select(version, choice.level(), choice.upper());
            if (choice.isMove()) {
                List<FileSet.Edit.Placed> moved = upper.stream()
                        .map(file -> new FileSet.Edit.Placed(choice.outputLevel(), file))
                        .toList();
                files.commit(versions, new FileSet.Edit(List.of(), moved, List.of(), 0), false);
                return 0;
            }
            List<TableFile> inputs = new ArrayList<>(upper);
            inputs.addAll(select(version, choice.outputLevel(), choice.lower()));
            List<FileSet.Edit.Placed> added = new ArrayList<>();
            boolean written = false;
            try {
                merge(version, choice.outputLevel(), inputs, added);
                written = true;
            } finally {
                if (!written) {
                    added.forEach(one -> one.file().markObsolete());
                    added.forEach(one -> one.file().discard());
                }
            }
            files.commit(versions, new FileSet.Edit(added, List.of(), inputs, 0), false);
            return added.stream().mapToLong(one -> one.file().info().bytes()).sum();
        } finally {
            version.release();
        }
    }

    private static List<TableFile> select(Version version, int level, List<SsTableInfo> wanted) {
        Set<Long> numbers = wanted.stream().map(SsTableInfo::number).collect(Collectors.toSet());
        List<TableFile> result = version.levels().get(level).stream()
                .filter(file -> numbers.contains(file.info().number()))
                .toList();
        if (result.size() != wanted.size()) {
            throw new IllegalStateException("a file to be compacted is not there any more");
        }
        return result;
    }

    private void merge(Version version, int level, List<TableFile> inputs, List<FileSet.Edit.Placed> added)
            throws IOException {
        Retention retention = new Retention(context.snapshots().openLsns(), key -> version.mayHoldFrom(level + 1, key));
        List<EntryCursor> sources = new ArrayList<>();
        inputs.forEach(file -> sources.add(file.table().cursor(false, READ_AHEAD_BYTES)));
        EntryCursor entries = MergingCursor.of(sources, false);
        boolean more = entries.seek(null, true);
        while (more) {
            try (FileSet.Output output = files.create()) {
                SsTableWriter writer = output.writer();
                while (more && !isFull(writer, entries)) {
                    StoppedException.check(stopped);
                    if (retention.keeps(entries)) {
                        writer.add(entries);
                    }
                    more = entries.advance();
                }
                if (!writer.isEmpty()) {
                    added.add(new FileSet.Edit.Placed(level, output.finish()));
                }
            }
        }
    }

    private boolean isFull(SsTableWriter writer, EntryCursor entries) {
        return writer.bytes() >= options.fileBytes() && !writer.lastKey().holds(entries.key());
    }
}
