/**
 * The duel: all cases of all contenders, interleaved in rounds. {@link io.kvstore.bench.duel.RunCommand} starts a JVM for each
 * contender and round, in which {@link io.kvstore.bench.duel.RoundCommand} runs the cases and prints figures. A report has
 * medians, ratios to the best of each family, and what each ratio is worth beside its goal and floor.
 */
@NullMarked
package io.kvstore.bench.duel;

import org.jspecify.annotations.NullMarked;
