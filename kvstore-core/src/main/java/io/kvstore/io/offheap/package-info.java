/**
 * Files in memory outside the heap: {@link io.kvstore.io.offheap.OffHeapFile}, its chunks, and the limit over all of
 * them. It knows neither names nor the seam of storages. {@code io.kvstore.io.MemoryStorage} has those.
 */
@NullMarked
package io.kvstore.io.offheap;

import org.jspecify.annotations.NullMarked;
