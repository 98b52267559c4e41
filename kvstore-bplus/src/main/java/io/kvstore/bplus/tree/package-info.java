/**
 * The tree of pages. {@link io.kvstore.bplus.tree.Tree} is the side of the one who changes it, with
 * {@code TreeEditor} for one entry at a time; {@link io.kvstore.bplus.tree.TreeReader} and
 * {@link io.kvstore.bplus.tree.TreeCursor} are the readers' side.
 *
 * <p>A reader goes from the root to a leaf without a lock. After it has the version of a child it looks at the version of the
 * parent once more: if that is unchanged, the child is the right one.
 *
 * <p>{@link io.kvstore.bplus.tree.TreeVersions} keeps older states. While somebody looks at a state, no page of it changes: a
 * page is copied before it is changed, up to the root, so that a state is the id of its root and nothing else. Pages that only
 * states without onlookers have are given back.
 *
 * <p>Invariant: the newest state has whole operations only, because what changes the tree is the merge of whole layers, or of
 * a part of the log of which no checkpoint is made before it is complete.
 */
@NullMarked
package io.kvstore.bplus.tree;

import org.jspecify.annotations.NullMarked;
