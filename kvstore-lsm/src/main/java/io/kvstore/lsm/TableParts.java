package io.kvstore.lsm;

import io.kvstore.engine.TableContext;

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
record TableParts(
        TableContext context,
        LsmOptions options,
        DataFiles data,
        LongValues apart,
        FileSet files,
        Versions versions,
        Damage damage,
        SpaceDebt debt) {}
