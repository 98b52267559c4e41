/**
 * The B+tree engine. Changes wait in a buffer beside the tree and are merged into it many at a time, in the order of their
 * keys. Pages are copied before they change, so that older states stay. A checkpoint writes one state to the page file. Long
 * values are kept apart, in value segments, and leaves point to them.
 *
 * <p>The engine has rooms in an order. A room imports only rooms below it, and only this one, the root, knows all of them:
 *
 * <pre>
 *   (root)        BPlusEngine, and PointReader: the way of a get
 *   maintenance   checkpoints, space that comes back, the index, the order of values
 *   pending       the change buffer: applied changes that are not in the tree yet
 *   tree          the tree of pages: readers without a lock, one thread that changes it, older states
 *   change        changes in memory, in the order of the log and in the order of keys
 *   buffer        the pages that are in memory
 *   file          the page file: places, the map of pages, superblocks
 *   page          the bytes of one page
 *   lock          the locks of a table, and their order
 * </pre>
 *
 * <p>Types in the rooms are public for each other only. Other modules see the provider and the parameters.
 */
@NullMarked
package io.kvstore.bplus;

import org.jspecify.annotations.NullMarked;
