package io.kvstore.lsm.version;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.NotOpenedException;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableListing;
import io.kvstore.value.DamagedSegments;
import io.kvstore.value.ValueLog;
import io.kvstore.value.append.StoredSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Opens the files of a damaged table, to be read only. They are those that the manifest names, in their levels. If it cannot be
 * read, all SSTables are in the first level, also those that a compaction has replaced. For one thread.
 */
final class DamagedFiles {

    private final TableContext context;
    private final DataFiles files;
    private final ValueLog log;
    private final Manifest manifest;
    private final Findings losses;
    private final List<StoredSegment> segments = new ArrayList<>();
    private final List<List<TableFile>> levels = new ArrayList<>();

    /** @param losses gets the files that cannot be opened */
    DamagedFiles(TableContext context, DataFiles files, ValueLog log, Manifest manifest, Findings losses) {
        this.context = context;
        this.files = files;
        this.log = log;
        this.manifest = manifest;
        this.losses = losses;
    }

    VersionSet.Opened open() throws IOException {
        while (levels.size() < LsmOptions.LEVELS) {
            levels.add(new ArrayList<>());
        }
        try {
            Manifest.State state = manifestOrNull();
            for (String name : new TreeSet<>(context.storage().list(context.directory()))) {
                open(name, state);
            }
            if (state == null) {
                losses.report(
                        manifest.path(),
                        -1,
                        "without its manifest the table is made of all its files: removed entries may be back");
            } else {
                openNamed(state);
            }
            levels.getFirst()
                    .sort(Comparator.comparingLong(
                                    (TableFile table) -> table.info().maxLsn())
                            .reversed());
            return new VersionSet.Opened(levels, LiveSegments.ofDamaged(log, segments));
        } catch (Throwable e) {
            levels.forEach(level -> level.forEach(TableFile::discardIfNew));
            throw e;
        }
    }

    /** Null if it is damaged, which was found and reported before. */
    private Manifest.@Nullable State manifestOrNull() throws IOException {
        try {
            return manifest.read();
        } catch (CorruptionException e) {
            return null;
        } catch (IOException e) {
            NotOpenedException.requireOfDisk(e);
            return null;
        }
    }

    private void openNamed(Manifest.State state) throws IOException {
        for (int level = 0; level < state.levels().size(); level++) {
            for (Manifest.Listed listed : state.levels().get(level)) {
                try {
                    VersionSet.add(levels.get(level), files.open(listed.table()))
                            .describe(listed.contents());
                } catch (CorruptionException e) {
                    lose(listed.table(), e);
                } catch (IOException e) {
                    NotOpenedException.requireOfDisk(e);
                    lose(listed.table(), e);
                }
            }
        }
    }

    private void lose(SsTableListing lost, Exception why) {
        losses.report(
                context.directory() + "/" + DataFiles.tableName(lost.number()),
                -1,
                "the file is lost, with " + lost.entries() + " entries of lsn " + lost.minLsn() + " to " + lost.maxLsn()
                        + ": older values of their keys, and removed ones, may be back (" + why.getMessage() + ")");
    }

    /** @param state names the files; if it is null, all are the table's, and its SSTables are opened here */
    private void open(String name, Manifest.@Nullable State state) throws IOException {
        long number = DataFiles.numberOf(name);
        if (number == 0) {
            return;
        }
        files.met(number);
        if (state != null
                && (name.equals(DataFiles.tableName(number))
                        || !VersionSet.namesIn(state).contains(name))) {
            return; // it is opened as the state describes it, or is what a crash left
        }
        try {
            if (!name.equals(DataFiles.tableName(number))) {
                StoredSegment segment = DamagedSegments.open(context, log, number, losses);
                if (segment != null) {
                    segments.add(segment);
                }
            } else {
                VersionSet.add(levels.getFirst(), files.open(files.listing(number)))
                        .describe(TableFile.Contents.ALL_OVERWRITES);
            }
        } catch (CorruptionException e) {
            losses.report(e);
        } catch (IOException e) {
            NotOpenedException.requireOfDisk(e);
            losses.report(context.directory() + "/" + name, -1, "cannot be read: " + e);
        }
    }
}
