/**
 * Tools that every benchmark needs: named figures, the machine, the process with its processor time and memory, the disk, a
 * place for stores, and a JVM of its own for each measurement.
 */
@NullMarked
package io.kvstore.bench.measure;

import org.jspecify.annotations.NullMarked;
