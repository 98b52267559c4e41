/**
 * The pages that are in memory. {@link io.kvstore.bplus.buffer.PageBuffer} finds a page by its id, loads it, and chooses the
 * page to evict. {@code FramePool} is the memory, a part of the store's budget. {@link io.kvstore.bplus.buffer.PageIds} knows
 * which pages there are, and their places.
 *
 * <p>A {@link io.kvstore.bplus.buffer.Page} has a version: even while it rests, odd while it is changed, and
 * {@link io.kvstore.bplus.buffer.Page#GONE} when its frame belongs to another page. A reader takes no lock: it remembers the
 * version, reads, and begins again if the version is another one afterwards.
 *
 * <p>Invariant: a dirty page has no place in the file. The page gets a place once, when it is evicted or by a checkpoint, and
 * is clean from then on. Memory that the table does not use is given back to other tables, see {@code IdleFrames}.
 */
@NullMarked
package io.kvstore.bplus.buffer;

import org.jspecify.annotations.NullMarked;
