/**
 * The parameters of one table. {@link io.kvstore.lsm.options.LsmOptions} has the sizes that a user chooses and all that follow
 * from them, such as levels, files and segments, so that no other class computes a size of its own.
 * {@link io.kvstore.lsm.options.SeparatedValues} is what the memtables of a table share for values that lie apart.
 */
@NullMarked
package io.kvstore.lsm.options;

import org.jspecify.annotations.NullMarked;
