package io.kvstore.hash.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.NotOpenedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The whole blocks of a damaged index file, and the most that its lost blocks can have said. Reads only. For one thread.
 *
 * <p>A damaged block is passed over, and the next whole one is looked for. A place that a whole block drops is dead for ever,
 * because no place is used twice. A place that whole blocks name and do not drop is alive, unless a lost block dropped it. What
 * a place means that no whole block names depends on the blocks that are lost: {@link #isDead}.
 */
public final class IndexRemains implements AutoCloseable {

    private static final long NEVER = -1;

    private final @Nullable OpenFile file;
    private final Findings losses;
    private final HashRanges imaged = new HashRanges();

    /** The parts that are damaged, each with a commit behind it. */
    private final List<Gap> gaps = new ArrayList<>();

    /** Those without one. A crash leaves such parts, too, and then they count for nothing. */
    private final List<Gap> behindCommit = new ArrayList<>();

    private boolean hasSeed;
    private long seed;
    private @Nullable CommitPlace newest;
    private boolean isEndLost;
    private boolean areImagesWhole = true;

    /** The index is known up to this lsn, but for images that are lost. */
    private long floor = Long.MAX_VALUE;

    private long lostChanges;
    private long end;

    /**
     * A part in which no block is whole.
     *
     * @param floor the lsn of the last commit before it
     */
    private record Gap(long from, long to, long floor, boolean isOfImages) {}

    private IndexRemains(@Nullable OpenFile file, Findings losses) {
        this.file = file;
        this.losses = losses;
    }

    /** Reads the newest index file, or finds that there is none. Reports its damaged parts. */
    public static IndexRemains read(TableContext context, Findings losses) throws IOException {
        long number = IndexDirectory.newestOrNone(context);
        IndexRemains remains = new IndexRemains(open(context, number, losses), losses);
        if (remains.isMissing()) {
            remains.loseAll();
            return remains;
        }
        boolean complete = false;
        try {
            remains.read(context);
            complete = true;
            return remains;
        } finally {
            if (!complete) {
                remains.close();
            }
        }
    }

    /** Null if there is no such file, or, which is reported, if it cannot be opened. */
    private static @Nullable OpenFile open(TableContext context, long number, Findings losses) throws IOException {
        try {
            return number == IndexDirectory.NONE ? null : OpenFile.open(context, number);
        } catch (IOException e) {
            NotOpenedException.requireOfDisk(e);
            losses.report(IndexDirectory.path(context, number), -1, "cannot be opened: " + e);
            return null;
        }
    }

    private void loseAll() {
        floor = NEVER;
        areImagesWhole = false;
        isEndLost = true;
    }

    private void read(TableContext context) throws IOException {
        OpenFile opened = present();
        try {
            seed = opened.readHead(context);
            hasSeed = true;
        } catch (CorruptionException e) {
            losses.report(e);
        } catch (IOException e) {
            losses.report(opened.path(), 0, "cannot be read: " + e);
        }
        long size = opened.file().size();
        if (size < IndexFormat.FIRST_BLOCK) {
            loseAll();
            return;
        }
        readBlocks(opened.lenientReader(size));
        judgeEnd(markOf(opened), size);
    }

    private @Nullable IndexMark markOf(OpenFile opened) {
        try {
            return opened.readMark();
        } catch (IOException e) {
            losses.report(opened.path(), IndexFormat.MARK_OFFSET, "cannot be read: " + e);
            return null;
        }
    }

    private OpenFile present() {
        OpenFile present = file;
        if (present == null) {
            throw new IllegalStateException("there is no index file");
        }
        return present;
    }

    private void readBlocks(BlockReader blocks) throws IOException {
        boolean hadChanges = false;
        long at = IndexFormat.FIRST_BLOCK;
        while (at < blocks.end()) {
            IndexBlock block = wholeFrom(blocks, at);
            if (block == null) {
                return; // what lies behind the last whole block is judged by the mark
            }
            if (block.offset() > at) {
                boolean isOfImages = block.kind() == IndexFormat.PAGE && !hadChanges;
                behindCommit.add(new Gap(at, block.offset(), newestLsn(), isOfImages));
            }
            switch (block.kind()) {
                case IndexFormat.COMMIT -> {
                    behindCommit.forEach(this::lose);
                    behindCommit.clear();
                    newest = new CommitPlace(block.readCommit(), block.offset(), block.end());
                }
                case IndexFormat.CHANGES -> hadChanges = true;
                default -> {
                    if (hadChanges && !(gaps.isEmpty() && behindCommit.isEmpty())) {
                        floor = NEVER; // pages among changes: a gap between pages may have had changes
                    }
                    note(block);
                }
            }
            at = block.end();
            end = at;
        }
    }

    /** The first whole block that begins at or behind an offset. */
    private static @Nullable IndexBlock wholeFrom(BlockReader blocks, long offset) throws IOException {
        long at = offset;
        while (true) {
            IndexBlock block = blocks.firstFrom(at, false);
            if (block == null) {
                return null;
            }
            try {
                block.check();
                return blocks.require(block.offset()); // what was checked was read
            } catch (CorruptionException e) {
                at = block.offset() + IndexFormat.BLOCK_UNIT_BYTES; // the gap is reported
            }
        }
    }

    private void note(IndexBlock page) {
        ByteReader in = page.payload();
        int prefix = in.u32();
        int depth = in.u8();
        in.skip(1);
        if (in.u16() < IndexFormat.MOST_ENTRIES) { // else it may be one of several parts
            imaged.add(prefix, depth);
        }
    }

    private long newestLsn() {
        return newest == null ? NEVER : newest.commit().lsn();
    }

    private void lose(Gap gap) {
        gaps.add(gap);
        areImagesWhole &= gap.floor != NEVER;
        if (!gap.isOfImages) {
            lostChanges += (gap.to - gap.from) / IndexFormat.CHANGE_BYTES;
            floor = Math.min(floor, gap.floor);
        }
    }

    /**
     * Behind the newest commit a crash leaves a torn end that counts for nothing, which looks as damage does. A mark that leads
     * to a commit that is not there tells of damage. So does the absence of any commit.
     */
    private void judgeEnd(@Nullable IndexMark mark, long size) {
        CommitPlace last = newest;
        long counted = last == null ? IndexFormat.FIRST_BLOCK : last.end();
        boolean isLost =
                last == null || (mark != null && mark.sequence() > last.commit().sequence());
        isEndLost = isLost || (mark == null && size > counted);
        if (isLost && mark != null) {
            counted = Math.max(counted, Math.min(end, mark.offset()));
        }
        end = counted;
        if (isEndLost) {
            for (Gap gap : behindCommit) {
                if (gap.from < end) {
                    lose(new Gap(gap.from, Math.min(gap.to, end), gap.floor, gap.isOfImages));
                }
            }
        }
        FirstLosses named = new FirstLosses(losses);
        for (Gap gap : gaps) {
            long bytes = gap.to - gap.from;
            named.report(present().path(), gap.from, bytes, bytes + " bytes of the index cannot be read");
        }
        named.sumUp(present().path(), "parts of the index cannot be read");
        if (isEndLost) {
            lose(new Gap(end, size, newestLsn(), false));
            losses.report(present().path(), end, (size - end) + " bytes of the index have no commit that can be read");
        }
    }

    /** Whether the index file says nothing. */
    public boolean isMissing() {
        return file == null;
    }

    /** Whether a whole block of the file counts. */
    public boolean hasBlocks() {
        return file != null && end > IndexFormat.FIRST_BLOCK;
    }

    /** The seed of the hashes, if {@link #hasSeed}. */
    public long seed() {
        return seed;
    }

    public boolean hasSeed() {
        return hasSeed;
    }

    /** Whether whole blocks name every place of the newest commit, and no commit is lost. */
    public boolean isComplete() {
        return newest != null && floor == Long.MAX_VALUE && areImagesWhole;
    }

    /** Notes that the index has other entries than it says, or lacks commits. */
    public void distrust(boolean isEndOnly) {
        isEndLost = true;
        floor = Math.min(floor, isEndOnly && newest != null ? newest.commit().lsn() : NEVER);
    }

    /** The newest commit that can be read; an empty one if there is none. */
    public IndexCommit commit() {
        return newest == null ? IndexCommit.EMPTY : newest.commit();
    }

    /** Whether {@link #commit} was read, and is surely the newest one. */
    public boolean hasNewestCommit() {
        return newest != null && !isEndLost;
    }

    /** How many changes of the index can be lost at most. */
    public long lostChanges() {
        return lostChanges;
    }

    /** The path of the file. */
    public String path() {
        return present().path();
    }

    /**
     * Whether a record that no whole block names was replaced or removed before, provided that no block names another place of
     * its key either.
     *
     * @param hash of its key
     */
    public boolean isDead(long hash, long lsn) {
        boolean isImageKnown = hasSeed && (areImagesWhole || imaged.contains((int) (hash >>> Integer.SIZE)));
        return isImageKnown && lsn <= floor;
    }

    /** Whether an operation is newer than all that the index file should have, so that it is in the log. */
    public boolean isLater(long lsn) {
        return hasNewestCommit() && lsn > commit().lsn();
    }

    /** Passes on what whole blocks say, up to the newest commit. */
    public void load(IndexState state) throws IOException {
        if (file == null || end <= IndexFormat.FIRST_BLOCK) {
            return;
        }
        BlockReader blocks = present().lenientReader(end);
        IndexLoad load = new IndexLoad(blocks, state);
        for (boolean images : new boolean[] {true, false}) {
            IndexBlock block = wholeFrom(blocks, IndexFormat.FIRST_BLOCK);
            while (block != null) {
                load.pass(block, images);
                block = block.end() < end ? wholeFrom(blocks, block.end()) : null;
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.file().close();
        }
    }
}
