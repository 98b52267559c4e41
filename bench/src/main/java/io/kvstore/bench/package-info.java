/**
 * Workloads that run on this store and on others in the same run. A measurement runs in a JVM of its own. Rounds interleave the
 * contenders. A report has the median of the rounds, its spread, and ratios. No test asserts a figure.
 */
@NullMarked
package io.kvstore.bench;

import org.jspecify.annotations.NullMarked;
