/**
 * Measurements that are not the rate of one case: opening after a kill, the start of the server, memory of many tables, and the
 * disk.
 */
@NullMarked
package io.kvstore.bench.behaviour;

import org.jspecify.annotations.NullMarked;
