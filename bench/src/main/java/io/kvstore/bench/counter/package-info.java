/** Counters: additions to one key beside puts of it, in this process and over the network. */
@NullMarked
package io.kvstore.bench.counter;

import org.jspecify.annotations.NullMarked;
