package io.kvstore.lsm.version;

import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.TableContext;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.value.GrowingValues;

/**
 * Keeps the files of a table in relation to what is alive in them, at every moment.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Files take at most twice what is alive, and {@link LsmOptions#slackBytes}, beside what open snapshots and cursors
 *       see. A
 *       writer that would begin another memtable beyond that waits, as it does when there are too many memtables; an eighth
 *       of the
 *       slack is kept for what estimates miss.
 *   <li>What only snapshots and cursors see makes nobody wait.
 *   <li>Nobody waits for debt that no job can work off.
 * </ol>
 *
 * <p>A disk that is smaller than that is a bound too, see {@link DiskRoom}: memtables and moves are a part of what is free
 * on it, and what would take the last room of it waits until compactions have brought what they can, for these need room
 * themselves. If they can bring no more, writers are refused until there is room again.
 *
 * <p>A function of versions, and of the room on the disk that a job saw last; cheap enough to be asked when a memtable is full.
 */
public final class SpaceDebt {

    private static final int SLACK_PARTS = 8;

    /** A memtable has at most this part of what may be dead in value segments, because all of it may be overwritten in it. */
    private static final int MEMTABLE_PART = 5;

    /** Level 0 is compacted when it hides this part of what may be dead. */
    private static final int HIDDEN_PART = 4;

    /** Moving values has them twice for a while: at most this part of what may be dead at a time. */
    private static final int MOVING_PART = 8;

    /** A compaction of deeper levels writes one file and about so many that it overlaps. */
    private static final int OVERLAPPED_FILES = 10;

    /** Of what is free on the disk, one memtable may bring so much to value segments, and as much itself. */
    private static final int FREE_PART = 8;

    private static final long LEAST_BY_DISK_BYTES = 256 << 10;

    /** For what is small: the manifest, the catalog. */
    private static final long DISK_RESERVE_BYTES = 1 << 20;

    private final TableContext context;
    private final LsmOptions options;
    private final GrowingValues growing;
    private final DiskRoom room;
    private final VersionHistory versions;

    public SpaceDebt(
            TableContext context, LsmOptions options, GrowingValues growing, DiskRoom room, VersionHistory versions) {
        this.context = context;
        this.versions = versions;
        this.options = options;
        this.growing = growing;
        this.room = room;
    }

    /** How much of the files may be dead. */
    private long allowedBytes(SpaceUse space) {
        return space.liveBytes() + options.slackBytes() / SLACK_PARTS * (SLACK_PARTS - 1);
    }

    /** A memtable with so many bytes in value segments is full. */
    static long memTableApartBytes(LsmOptions options, SpaceUse space, DiskRoom room) {
        long allowed = space.liveBytes() + options.slackBytes() / SLACK_PARTS * (SLACK_PARTS - 1);
        return Math.min(mostByDisk(room), Math.min(options.maxApartBytes(), allowed / MEMTABLE_PART));
    }

    /** So is one that takes so many bytes of memory. */
    static long memTableBytes(LsmOptions options, DiskRoom room) {
        return Math.min(mostByDisk(room), options.memTableBytes());
    }

    private static long mostByDisk(DiskRoom room) {
        return Math.max(LEAST_BY_DISK_BYTES, room.freeBytes() / FREE_PART);
    }

    /** Whether another memtable would be too much. */
    public boolean isTooMuch(Version version) {
        return deadBytes(version) > limitBytes(version) || isDiskShort(version.levels());
    }

    /** Whether another memtable would take what the jobs need that come after it. */
    public boolean isDiskShort(Levels levels) {
        long memTable = levels.memTableBytes() + levels.memTableApartBytes();
        long needed = memTable + jobBytes(levels.space()) + DISK_RESERVE_BYTES;
        return room.freeBytes() < needed;
    }

    /** Sees how much room there is on the disk; by a job or who waits for one, because it is a call of the system. */
    public void lookAtDisk(Version version) {
        room.look(deadBytes(version), growing.waitingBytes());
    }

    /** What of the files may be dead; all that no SSTable points to yet may be. Files that jobs still hold take room too. */
    public long deadBytes(Version version) {
        SpaceUse space = version.levels().space();
        long waiting = growing.fileBytes(number -> !version.values().has(number)) + growing.waitingBytes();
        long leaving = versions.leavingFiles().stream()
                .filter(file -> !(file instanceof ValueFile values
                        && growing.has(values.info().number())))
                .mapToLong(SharedFile::bytes)
                .sum();
        return space.fileBytes() + waiting + leaving - space.liveBytes() - pinnedBytes(version.levels());
    }

    /** The most of it with which there may be another memtable. */
    public long limitBytes(Version version) {
        SpaceUse space = version.levels().space();
        long allowed = Math.min(allowedBytes(space), room.mostDeadBytes());
        return allowed - version.levels().memTableApartBytes() - jobBytes(space);
    }

    /** What a job may write before the files go that it was made from. */
    private long jobBytes(SpaceUse space) {
        long compaction = Math.max(space.topBytes(), OVERLAPPED_FILES * options.fileBytes());
        long moved = Math.min(movableBytes(space), space.fileBytes() - space.tableBytes());
        return Math.max(moved, Math.min(space.tableBytes(), compaction));
    }

    /** So many bytes of values may be moved at a time. */
    public long movableBytes(SpaceUse space) {
        return Math.min(room.freeBytes() / 2, Math.max(options.segmentBytes() / 2, allowedBytes(space) / MOVING_PART));
    }

    /** Whether a segment is to be emptied even if more is alive in it than may be moved at a time: not on a full disk. */
    public boolean mayMoveMore(SpaceUse space) {
        return room.freeBytes() / 2 > movableBytes(space);
    }

    /** Whether level 0 may hide so much that it is compacted, however few files it has. */
    public boolean isHiddenTooMuch(SpaceUse space) {
        return space.hiddenBytes().getFirst() > allowedBytes(space) / HIDDEN_PART;
    }

    /** What only snapshots that are open see. */
    public long pinnedBytes(Levels levels) {
        return levels.pinnedBytes(context.snapshots().openLsns());
    }
}
