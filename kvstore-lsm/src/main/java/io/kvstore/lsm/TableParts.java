package io.kvstore.lsm;

import io.kvstore.engine.TableContext;

/**
 * What the background work of one table shares.
 *
 * @param context what the store gave the table
 * @param options its parameters
 * @param data opens and makes data files
 * @param files which of them count
 * @param versions what readers see of them
 */
record TableParts(TableContext context, LsmOptions options, DataFiles data, FileSet files, Versions versions) {}
