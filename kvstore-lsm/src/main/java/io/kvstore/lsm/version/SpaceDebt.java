package io.kvstore.lsm.version;

import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.TableContext;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.value.ValueLog;
import io.kvstore.value.append.StoredSegment;
import java.util.function.Supplier;

/**
 * Bounds the size of a table's files in relation to the live bytes in them, at every moment.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Files take at most twice the live bytes plus {@link LsmOptions#slackBytes}, beside the bytes that open snapshots
 *       and cursors see. A writer that would begin another memtable beyond that limit waits, as it does when there are too
 *       many memtables. An eighth of the slack is kept for errors of the estimates.
 *   <li>Bytes that only snapshots and cursors see make nobody wait.
 *   <li>Nobody waits for debt that no job can work off.
 * </ol>
 *
 * <p>A smaller disk is a bound too, see {@link DiskRoom}. Memtables and moves of values are limited to a part of the free
 * space. A write that would take the last room waits until compactions have brought back the space that they can, because
 * compactions need room themselves. If they can bring back no more, writers are refused until there is room again.
 *
 * <p>The answers depend on versions and on the disk's room that a job saw last. They are cheap enough to be computed
 * whenever a memtable is full.
 */
public final class SpaceDebt {

    private static final int SLACK_PARTS = 8;

    /**
     * A memtable has in value segments at most this part of the bytes that may be dead, because later writes may overwrite all
     * of them.
     */
    private static final int MEMTABLE_PART = 5;

    /** Level 0 is compacted when it hides this part of the bytes that may be dead. */
    private static final int HIDDEN_PART = 4;

    /** Values that are moved exist twice for a while. At a time at most this part of the bytes that may be dead is moved. */
    private static final int MOVING_PART = 8;

    /** A compaction of deeper levels writes one file and about this number of files that it overlaps. */
    private static final int OVERLAPPED_FILES = 10;

    /** One memtable may bring at most this part of the free disk space to value segments, and the same part to its SSTable. */
    private static final int FREE_PART = 8;

    private static final long LEAST_BY_DISK_BYTES = 256 << 10;

    /** Kept free for small files: the manifest, the catalog. */
    private static final long DISK_RESERVE_BYTES = 1 << 20;

    private final TableContext context;
    private final Supplier<LsmOptions> options;
    private final ValueLog log;
    private final DiskRoom room;
    private final VersionHistory versions;

    public SpaceDebt(
            TableContext context, Supplier<LsmOptions> options, ValueLog log, DiskRoom room, VersionHistory versions) {
        this.context = context;
        this.versions = versions;
        this.options = options;
        this.log = log;
        this.room = room;
    }

    private static long allowedBytes(LsmOptions options, SpaceUse space) {
        return space.liveBytes() + options.slackBytes() / SLACK_PARTS * (SLACK_PARTS - 1);
    }

    /** A memtable with this many bytes in value segments is full. */
    static long memTableApartBytes(LsmOptions options, SpaceUse space, DiskRoom room) {
        long most = Math.min(options.maxApartBytes(), allowedBytes(options, space) / MEMTABLE_PART);
        return Math.min(mostByDisk(room), most);
    }

    /**
     * A memtable with this many tombstones is worth a file, because they hide about the same part of the bytes that may be
     * dead, and because a compaction is due for so many. No number is, if all live bytes are not more than that part.
     */
    static long worthwhileTombstones(LsmOptions options, SpaceUse space, long entries) {
        double hidden = allowedBytes(options, space) / (double) MEMTABLE_PART;
        long live = space.liveBytes();
        return live <= hidden
                ? Long.MAX_VALUE
                : Math.max((long) (hidden / live * entries), entries / LsmOptions.REMOVED_PART + 1);
    }

    /** A memtable that takes this many bytes of memory is full. */
    static long memTableBytes(LsmOptions options, DiskRoom room) {
        return Math.min(mostByDisk(room), options.memTableBytes());
    }

    private static long mostByDisk(DiskRoom room) {
        return Math.max(LEAST_BY_DISK_BYTES, room.freeBytes() / FREE_PART);
    }

    /** Whether another memtable would exceed the limit. */
    public boolean isTooMuch(Version version) {
        return deadBytes(version) > limitBytes(version) || isDiskShort(version.levels());
    }

    /** Whether another memtable would take the room that the jobs after it need. */
    public boolean isDiskShort(Levels levels) {
        long memTable = levels.memTableBytes() + levels.memTableApartBytes();
        long needed = memTable + jobBytes(levels.space()) + DISK_RESERVE_BYTES;
        return room.freeBytes() < needed;
    }

    /** Looks at the room on the disk. A system call, made only by a job, or by a thread that waits for one. */
    public void lookAtDisk(Version version) {
        room.look(deadBytes(version), log.waitingBytes());
    }

    /**
     * Bytes of the files that may be dead. All bytes that no SSTable points to yet count as dead, and so do files that are
     * obsolete and that jobs still hold, or whose deletion has to wait for a write.
     */
    public long deadBytes(Version version) {
        SpaceUse space = version.levels().space();
        long waiting = comingBytes(version) + log.waitingBytes() + log.fileBytes(segment -> !segment.isLeased());
        return space.fileBytes()
                + waiting
                + versions.leavingBytes()
                - space.liveBytes()
                - pinnedBytes(version.levels());
    }

    /**
     * Bytes of the value segments that memtables filled and into which SSTables do not point, or not yet. Segments that running
     * jobs wrote are not among them; {@link #limitBytes} leaves room for these.
     */
    public long comingBytes(Version version) {
        return log.fileBytes(segment -> segment.isLeased() && isComing(segment, version));
    }

    private static boolean isComing(StoredSegment segment, Version version) {
        return !segment.isEmptied() && !segment.isInOrder() && !version.values().has(segment.number());
    }

    /** The most dead bytes with which another memtable may begin. */
    public long limitBytes(Version version) {
        SpaceUse space = version.levels().space();
        long allowed = Math.min(allowedBytes(options.get(), space), room.mostDeadBytes());
        return allowed - version.levels().memTableApartBytes() - jobBytes(space);
    }

    /** The most bytes that a job may write before its input files go. */
    private long jobBytes(SpaceUse space) {
        long compaction =
                Math.max(space.topBytes(), OVERLAPPED_FILES * options.get().fileBytes());
        long moved = Math.min(movableBytes(space), space.fileBytes() - space.tableBytes());
        return Math.max(moved, Math.min(space.tableBytes(), compaction));
    }

    /** The most bytes of values that may be moved at a time. */
    public long movableBytes(SpaceUse space) {
        return Math.min(
                room.freeBytes() / 2,
                Math.max(options.get().segmentBytes() / 2, allowedBytes(options.get(), space) / MOVING_PART));
    }

    /** Whether a segment with more than {@link #movableBytes} may be emptied: not if free space on the disk is the limit. */
    public boolean mayMoveMore(SpaceUse space) {
        return room.freeBytes() / 2 > movableBytes(space);
    }

    /** Whether level 0 may hide too much of the dead bytes that are allowed. Then it is compacted, however few its files. */
    public boolean isHiddenTooMuch(SpaceUse space) {
        return space.hiddenBytes().getFirst() > allowedBytes(options.get(), space) / HIDDEN_PART;
    }

    public long pinnedBytes(Levels levels) {
        return levels.pinnedBytes(OpenViews.lsns(context.snapshots()));
    }
}
