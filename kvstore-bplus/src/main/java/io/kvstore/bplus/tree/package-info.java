/**
 * The tree of pages. {@link io.kvstore.bplus.tree.Tree} is the writing side, with {@code TreeEditor} for one entry at a time.
 * {@link io.kvstore.bplus.tree.TreeReader} and {@link io.kvstore.bplus.tree.TreeCursor} are the reading side, which
 * takes no lock. {@link io.kvstore.bplus.tree.TreeVersions} keeps older states.
 *
 * <p>Invariant: between two merges the newest state has whole operations only. The tree is changed by the merge of whole
 * layers, or of a part of the log of which no checkpoint is made before it is complete.
 */
@NullMarked
package io.kvstore.bplus.tree;

import org.jspecify.annotations.NullMarked;
