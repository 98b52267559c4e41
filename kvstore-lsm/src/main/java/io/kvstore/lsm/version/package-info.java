/**
 * Which memtables and files count at one moment.
 *
 * <p>A {@link io.kvstore.lsm.version.Version} is immutable. It has the active memtable, the full ones, and
 * {@link io.kvstore.lsm.version.Levels} of files. {@link io.kvstore.lsm.version.VersionHistory} has the current version and
 * releases older ones. {@link io.kvstore.lsm.version.VersionSet} has the files and the {@code Manifest} that names them. A
 * file goes through these states:
 *
 * <pre>
 *   written     has a number; no version has it                 by a flush or a compaction
 *      |        synced, and its name too
 *   named       the manifest on disk has it                     VersionSet.commit
 *      |
 *   current     readers find it                                 VersionHistory.replace
 *      |        a newer manifest does not name it
 *   obsolete    readers of older versions may still use it      VersionHistory.retireReplaced, two epochs later
 *      |        the last version that has it was released
 *   deleted
 * </pre>
 *
 * <p>A failure before {@code named} leaves a file that no manifest names. The file is deleted at the latest when the table
 * is opened again. {@link io.kvstore.lsm.version.SpaceDebt} bounds the dead bytes of the files.
 */
@NullMarked
package io.kvstore.lsm.version;

import org.jspecify.annotations.NullMarked;
