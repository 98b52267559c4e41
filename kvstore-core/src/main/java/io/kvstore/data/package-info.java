/**
 * The values that all layers use. They know nothing of files. All but {@link io.kvstore.data.EmptySpans} are immutable or
 * belong to one thread.
 *
 * <ul>
 *   <li>{@link io.kvstore.data.KeyRange}, {@link io.kvstore.data.Entry}, {@link io.kvstore.data.Condition},
 *       {@link io.kvstore.data.Durability}: the arguments and results of calls to the store.
 *   <li>{@link io.kvstore.data.Mutation}, {@link io.kvstore.data.TableMutations}: one change, and the changes of an operation
 *       to one table.
 *   <li>{@link io.kvstore.data.KeyOrder}, {@link io.kvstore.data.KeyHead}, {@link io.kvstore.data.KeySort},
 *       {@link io.kvstore.data.KeyHash}: the one order of keys, and the one hash, whose seed is secret.
 *   <li>{@link io.kvstore.data.KeySpan}, {@link io.kvstore.data.EmptySpans}: neighbouring keys, and those that were removed.
 *   <li>{@link io.kvstore.data.TableParameter}, {@link io.kvstore.data.TableProperties}: parameters of a table, checked when
 *       it is created.
 *   <li>{@link io.kvstore.data.Clock}, {@link io.kvstore.data.Workers}, {@link io.kvstore.data.Pause}: time and threads.
 * </ul>
 */
@NullMarked
package io.kvstore.data;

import org.jspecify.annotations.NullMarked;
