/**
 * The stores that are compared, behind one interface, {@link io.kvstore.bench.store.Contender}, and the work that is done in
 * them. A {@link io.kvstore.bench.store.Case} says what each thread does and in which store;
 * {@link io.kvstore.bench.store.Workers} are the threads. Two contenders are not stores but bounds. {@code LIMIT} leaves out
 * all that a store can leave out. {@code DEVICE} writes and syncs each entry.
 */
@NullMarked
package io.kvstore.bench.store;

import org.jspecify.annotations.NullMarked;
