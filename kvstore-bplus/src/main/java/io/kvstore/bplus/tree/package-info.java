/**
 * The tree of pages. {@link io.kvstore.bplus.tree.Tree} is the writing side, with {@code TreeEditor} for one entry at a time.
 * {@link io.kvstore.bplus.tree.TreeReader} and {@link io.kvstore.bplus.tree.TreeCursor} are the reading side.
 *
 * <p>A reader goes from the root to a leaf without a lock. After it has the version of a child, it looks at the version of the
 * parent once more. If that is unchanged, the child is the right one.
 *
 * <p>{@link io.kvstore.bplus.tree.TreeVersions} keeps older states. While a thread looks at a state, no page of that state
 * changes: a page is copied before it is changed, up to the root. So a state is nothing but the id of its root. A page goes
 * when no thread looks at a state that has it.
 *
 * <p>Invariant: between two merges the newest state has whole operations only. The tree is changed by the merge of whole
 * layers, or of a part of the log of which no checkpoint is made before it is complete.
 */
@NullMarked
package io.kvstore.bplus.tree;

import org.jspecify.annotations.NullMarked;
