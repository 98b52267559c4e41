/**
 * The duel: all cases of all contenders, interleaved in rounds. {@link io.kvstore.bench.duel.RunCommand} starts a JVM for each
 * contender and round. In that JVM {@link io.kvstore.bench.duel.RoundCommand} runs the cases and prints figures. A report has
 * medians, ratios to the best of each family, and the verdict on each ratio that has a goal and a floor.
 */
@NullMarked
package io.kvstore.bench.duel;

import org.jspecify.annotations.NullMarked;
