/**
 * The parameters of one table. {@link io.kvstore.lsm.options.LsmOptions} has the sizes that a user chooses and all sizes
 * that follow from them, such as those of levels, files and segments, so that no other class computes a size of its own.
 * {@link io.kvstore.lsm.options.SeparatedValues} has the parts that the memtables of a table share for values that are kept
 * apart.
 */
@NullMarked
package io.kvstore.lsm.options;

import org.jspecify.annotations.NullMarked;
