/**
 * Which memtables and files count at one moment.
 *
 * <p>A {@link io.kvstore.lsm.version.Version} is immutable: the active memtable, the full ones, and
 * {@link io.kvstore.lsm.version.Levels} of files. {@link io.kvstore.lsm.version.VersionHistory} has the current one and lets
 * older ones go; {@link io.kvstore.lsm.version.VersionSet} has the files and the {@code Manifest} that names them. A file goes
 * through these states:
 *
 * <pre>
 *   written     has a number; counts for nobody                 by a flush or a compaction
 *      |        synced, and its name too
 *   named       the manifest on disk has it                     VersionSet.commit
 *      |
 *   current     readers find it                                 VersionHistory.replace
 *      |        a newer manifest does not name it
 *   obsolete    readers of older versions still may             VersionHistory.retireReplaced, two epochs later
 *      |        the last version that has it was released
 *   deleted
 * </pre>
 *
 * <p>A failure before {@code named} leaves a file that nobody names; it is deleted when the table is opened again. What files
 * take beside what is alive is bounded by {@link io.kvstore.lsm.version.SpaceDebt}.
 */
@NullMarked
package io.kvstore.lsm.version;

import org.jspecify.annotations.NullMarked;
