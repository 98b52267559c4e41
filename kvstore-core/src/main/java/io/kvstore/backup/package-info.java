/**
 * Backups of a store, and copies of it. A backup is kept in a repository, which is a directory of its own: each file of the
 * store is a list of parts of up to 1 MiB, and parts that are equal are stored once, whichever backup has them.
 * {@code docs/design/backup.md} has the states and the invariants, {@code docs/backup-format.md} the bytes.
 *
 * <p>{@code Repository} keeps backups, {@code BackupJob} makes one, {@code Restoration} writes the files of one,
 * {@code Verification} reads all of them, {@code StoreCopy} makes a store of an open one.
 */
@NullMarked
package io.kvstore.backup;

import org.jspecify.annotations.NullMarked;
