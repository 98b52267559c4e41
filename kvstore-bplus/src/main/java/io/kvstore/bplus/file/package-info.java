/**
 * The page file of a table: the state that the last checkpoint left. {@link io.kvstore.bplus.file.PageStore} holds superblocks
 * and the map from the id of a page to its place; {@link io.kvstore.bplus.file.PageFile} writes and reads pages;
 * {@code FreeSpaceMap} has the places that are taken. A place goes through these states:
 *
 * <pre>
 *   free
 *     |     a page is written, at an eviction or by a checkpoint
 *   taken   the next superblock will lead to it
 *     |     a superblock is synced
 *   named   the newest durable superblock leads to it: never written, never given away
 *     |     a later superblock does not lead to it, and no reader holds the page
 *   free
 * </pre>
 *
 * <p>So a crash finds the newest durable superblock with all pages that it leads to. The bytes are described in
 * docs/file-formats.md, and the proof is in docs/recovery.md.
 */
@NullMarked
package io.kvstore.bplus.file;

import org.jspecify.annotations.NullMarked;
