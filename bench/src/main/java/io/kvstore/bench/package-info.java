/** Workloads, run on this store and on RocksDB. */
@NullMarked
package io.kvstore.bench;

import org.jspecify.annotations.NullMarked;
