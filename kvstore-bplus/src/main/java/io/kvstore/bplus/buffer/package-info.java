/**
 * The pages that are in memory. {@link io.kvstore.bplus.buffer.PageBuffer} finds a page by its id, loads it, and chooses the
 * page to evict. {@code FramePool} is the memory, a part of the store's budget. {@link io.kvstore.bplus.buffer.PageIds} knows
 * which pages there are, and their places.
 *
 * <p>{@link io.kvstore.bplus.buffer.Page} says how it is read without a lock. The invariants are at the head of
 * {@link io.kvstore.bplus.buffer.PageBuffer}. Memory that the table does not use is given back to other tables, see
 * {@code IdleFrames}.
 */
@NullMarked
package io.kvstore.bplus.buffer;

import org.jspecify.annotations.NullMarked;
