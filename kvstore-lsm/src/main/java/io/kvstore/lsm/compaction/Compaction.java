package io.kvstore.lsm.compaction;

import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.MergingCursor;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.version.Levels;
import io.kvstore.lsm.version.OpenViews;
import io.kvstore.lsm.version.TableFile;
import io.kvstore.lsm.version.VersionSet;
import io.kvstore.value.policy.ValueGarbage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Merges files of one level with the files that they overlap in the next level, into new files of the next level.
 * {@link Retention} decides which entries stay. All versions of a key go to one file, so that the files of a level have no
 * key in common. Files of level 0 may also be merged within that level, see {@link CompactionPicker}.
 *
 * <p>A job that fails leaves everything as it was: its files do not count before the manifest names them.
 */
public final class Compaction {

    private static final int READ_AHEAD_BYTES = 256 << 10;

    private final TableParts parts;
    private final ValueGarbage garbage;
    private final BooleanSupplier stopped;

    public Compaction(TableParts parts, BooleanSupplier stopped) {
        this.parts = parts;
        this.garbage = ValueGarbage.knownLate(parts.options().get().segmentBytes());
        this.stopped = stopped;
    }

    /**
     * Carries out a choice made from the current files. Returns the bytes written. One caller at a time.
     *
     * @param emptied value segments whose values move when the merge meets them; if null, no values move
     */
    public long run(CompactionPicker.Choice choice, @Nullable Set<Long> emptied) throws IOException {
        Levels levels = parts.versions().pinLevels();
        try {
            List<TableFile> inputs = new ArrayList<>(select(levels, choice.level(), choice.upper()));
            inputs.addAll(select(levels, choice.outputLevel(), choice.lower()));
            Set<Long> moving = emptied == null ? Set.of() : new HashSet<>(emptied);
            if (choice.level() == 0 && emptied != null) {
                Set<Long> met = parts.damage().without(TableFile.segmentsOf(inputs));
                moving.addAll(garbage.small(levels.values().uses(), met));
            }
            if (choice.isMove() && inputs.stream().noneMatch(file -> file.bytesIn(moving) > 0)) {
                List<VersionSet.Edit.Placed> moved = inputs.stream()
                        .map(file -> new VersionSet.Edit.Placed(choice.outputLevel(), file))
                        .toList();
                parts.files().commit(parts.versions(), VersionSet.Edit.ofMoved(moved), false);
                return 0;
            }
            return merge(levels, choice.outputLevel(), inputs, moving);
        } finally {
            parts.versions().unpin(levels);
        }
    }

    private static List<TableFile> select(Levels levels, int level, List<SsTableInfo> wanted) {
        Set<Long> numbers = wanted.stream().map(SsTableInfo::number).collect(Collectors.toSet());
        List<TableFile> result = levels.files().get(level).stream()
                .filter(file -> numbers.contains(file.info().number()))
                .toList();
        if (result.size() != wanted.size()) {
            throw new IllegalStateException("a file to be compacted is not there any more");
        }
        return result;
    }

    private long merge(Levels levels, int level, List<TableFile> inputs, Set<Long> moving) throws IOException {
        int below = level == 0 ? 0 : level + 1; // some files of level 0 may be older than those merged there
        Retention retention =
                new Retention(OpenViews.lsns(parts.context().snapshots()), key -> levels.mayHoldFrom(below, key));
        List<EntryCursor> sources = new ArrayList<>();
        inputs.forEach(file -> sources.add(file.table().cursor(false, READ_AHEAD_BYTES)));
        EntryCursor entries = MergingCursor.of(sources, false);
        try (OutputFiles output = new OutputFiles(parts, level, levels, moving)) {
            output.addKept(entries, retention, stopped);
            output.finish();
            parts.files().commit(parts.versions(), output.edit(inputs, 0), false);
            return output.bytes();
        }
    }
}
