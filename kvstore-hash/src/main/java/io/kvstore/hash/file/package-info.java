/**
 * The index file of a hash table: what its checkpoints left of the index. {@link io.kvstore.hash.file.IndexFile} is what other
 * rooms use. {@code IndexDirectory} finds, makes and deletes the files of a table, {@code BlockReader} and {@code BlockWriter}
 * have the blocks, and {@code CommitPlace} looks for the newest commit.
 *
 * <p>The bytes are described in docs/file-formats.md. Nothing in this room knows keys, or the index in memory.
 */
@NullMarked
package io.kvstore.hash.file;

import org.jspecify.annotations.NullMarked;
