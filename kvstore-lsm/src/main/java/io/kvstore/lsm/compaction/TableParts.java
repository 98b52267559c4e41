package io.kvstore.lsm.compaction;

import io.kvstore.engine.TableContext;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.lsm.version.DataFiles;
import io.kvstore.lsm.version.SpaceDebt;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.lsm.version.VersionSet;

/**
 * What the background work of one table shares.
 *
 * @param context what the store gave the table
 * @param options its parameters
 * @param data opens and makes data files
 * @param apart the long values of the memtables
 * @param files which of them count
 * @param versions what readers see of them
 * @param damage what of them is damaged
 * @param debt what they take beside what is alive
 */
public record TableParts(
        TableContext context,
        LsmOptions options,
        DataFiles data,
        SeparatedValues apart,
        VersionSet files,
        VersionHistory versions,
        Damage damage,
        SpaceDebt debt) {}
