/**
 * The locks of a table and the order in which a thread takes them. {@link io.kvstore.bplus.lock.TreeLocks} is the whole truth
 * of both: it names each rank, says what a lock of it guards and whether it is held over I/O, and checks the order in tests.
 * Readers of the tree take no lock; see {@link io.kvstore.engine.Epochs}.
 */
@NullMarked
package io.kvstore.bplus.lock;

import org.jspecify.annotations.NullMarked;
