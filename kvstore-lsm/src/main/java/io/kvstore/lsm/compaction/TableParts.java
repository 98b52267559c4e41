package io.kvstore.lsm.compaction;

import io.kvstore.engine.TableContext;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.lsm.version.DataFiles;
import io.kvstore.lsm.version.SpaceDebt;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.lsm.version.VersionSet;
import java.util.function.Supplier;

/**
 * The objects that the background jobs of one table share.
 *
 * @param options those of now; some may change while the table is open
 * @param data opens and makes data files
 * @param apart the long values of the memtables
 * @param files the files that count
 * @param versions the versions that readers see
 */
public record TableParts(
        TableContext context,
        Supplier<LsmOptions> options,
        DataFiles data,
        SeparatedValues apart,
        VersionSet files,
        VersionHistory versions,
        Damage damage,
        SpaceDebt debt) {}
