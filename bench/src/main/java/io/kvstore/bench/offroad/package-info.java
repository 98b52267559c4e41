/**
 * Ordinary ways of using a table that the duel leaves out: first reads after a load, large values, a queue, scans beside a
 * writer or over what removals left, and the core workloads of YCSB. {@link io.kvstore.bench.offroad.OffRoad} runs each
 * {@link io.kvstore.bench.offroad.Row} of each store in a JVM of its own, so every row begins with a cold compiler and a store
 * that was just loaded.
 */
@NullMarked
package io.kvstore.bench.offroad;

import org.jspecify.annotations.NullMarked;
