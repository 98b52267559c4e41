/**
 * The only package that touches files. Everything else sees {@link io.kvstore.io.Storage}, so a test can put another storage
 * below the whole store: one that crashes, fails, or counts.
 *
 * <pre>
 *   Storage            a directory of the store: opens files, lists, renames, deletes, locks
 *   StorageFile        one open file
 *   StorageDirectory   one open directory, whose names are synced
 *   ReadMapping        a mapping of a file that nobody changes
 *   WritableMapping    a mapping of a log segment
 *   AtomicFile, FileAppender, NumberedName    means on top of these, for several kinds of files
 *   Real...            the same over a file system of java.nio.file: the operating system's, or another
 *   FileSystemAbility  what the store does without where a file system lacks it
 *   MemoryStorage      the same in memory outside the heap; the room {@code offheap} has its files
 * </pre>
 *
 * <p>These hold for every storage. A failed sync is final for the file; nobody repeats it. A refusal has a type of its own
 * where the caller can do something about it: {@link io.kvstore.io.NoSpaceException},
 * {@link io.kvstore.io.NotOpenedException}. A rename whose durability is not known is an
 * {@link io.kvstore.io.UncertainOutcomeException}. An interrupt of the calling thread closes no file.
 */
@NullMarked
package io.kvstore.io;

import org.jspecify.annotations.NullMarked;
