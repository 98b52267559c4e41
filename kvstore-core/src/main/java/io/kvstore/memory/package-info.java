/**
 * The memory of a store: one budget for all its tables.
 *
 * <p>{@link io.kvstore.memory.MemoryBudget} counts bytes when they are taken: by memtables, page buffers, change buffers,
 * hash indexes, and by values that are not in a file yet. A caller that finds no room asks for it. Then
 * {@linkplain io.kvstore.memory.MemoryHolder holders} give back, large ones before small ones and resting ones before busy
 * ones. {@link io.kvstore.memory.UnusedMemory} tells which memory nobody used lately. {@link io.kvstore.memory.WriteBlocks}
 * are the blocks in which flushes and compactions gather what they write.
 *
 * <p>Memory that is taken although none is free is small, or is given back soon. Each use, the option that bounds it and what
 * happens at the bound stand in {@code docs/bounds.md}.
 */
@NullMarked
package io.kvstore.memory;

import org.jspecify.annotations.NullMarked;
