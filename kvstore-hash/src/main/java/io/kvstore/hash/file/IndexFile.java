package io.kvstore.hash.file;

import io.kvstore.engine.Findings;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.io.FileAppender;
import io.kvstore.io.RefusedException;
import io.kvstore.io.StorageDirectory;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a table's index on disk: images of its pages, then the changes since these were copied, and commits among the
 * changes. Only what lies before the newest commit counts.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A commit is written when everything before it in the file is durable. So a crash leaves the newest durable commit, or
 *       the one that was under way. Behind it lies a torn end, which has no valid commit.
 *   <li>The mark at the head of the file is written when a commit is durable. So a file without a commit that its mark names
 *       was damaged or cut. A commit that no mark names may have been left by a process that was killed. It is written once
 *       more and synced before anything rests on it.
 *   <li>A file gets its name when it has a durable commit. The file before is deleted when that name is durable.
 *   <li>A commit that was refused, on a full disk for example, is cut off, and that is durable before its caller knows.
 *   <li>A failed sync is final: the contents of the disk are not known. So is any other failure of a commit that was not
 *       refused.
 * </ol>
 *
 * <p>For one thread at a time, except for {@link #seed}, {@link #committed}, {@link #changesSinceImage}, {@link #bytes} and
 * {@link #hasFailed}.
 */
public final class IndexFile implements AutoCloseable {

    private final TableContext context;
    private final long seed;

    /** Null if there is no index file and none may be made. */
    private volatile @Nullable OpenFile current;

    private final HeldIndexes holds;

    private volatile CommitPlace newest;

    /** Where the next block begins. */
    private volatile long position;

    /** Behind the images of the current file. */
    private volatile long changes;

    /** Those among them that no commit counts yet. */
    private long waitingChanges;

    private volatile long rewriteBytes;
    private volatile boolean failed;
    private boolean unsynced;
    private @Nullable Rewrite rewrite;

    private IndexFile(TableContext context, @Nullable OpenFile current, long seed, CommitPlace newest) {
        this.context = context;
        this.current = current;
        this.seed = seed;
        this.newest = newest;
        this.position = newest.end();
        this.holds = new HeldIndexes(context, this::isReplaced);
    }

    /**
     * Opens the newest index file of the table's directory as its newest commit left it. In an empty directory it makes a file
     * with the seed of the context and an empty commit.
     *
     * @throws io.kvstore.error.CorruptionException if it is damaged, belongs to another table, or is missing beside other files
     */
    public static IndexFile open(TableContext context) throws IOException {
        long number = IndexDirectory.newest(context);
        if (number == IndexDirectory.NONE && context.readOnly()) {
            return none(context, context.seed(), IndexCommit.EMPTY);
        }
        if (number == IndexDirectory.NONE) {
            number = IndexDirectory.create(context);
        }
        OpenFile file = OpenFile.open(context, number);
        boolean complete = false;
        try {
            long seed = file.readHead(context);
            IndexMark mark = file.readMark();
            CommitPlace newest = CommitPlace.newest(file.reader(file.file().size()), mark);
            IndexFile opened = new IndexFile(context, file, seed, newest);
            if (!context.readOnly()) {
                opened.confirm(file, mark);
                IndexDirectory.deleteOthers(context, number);
            }
            complete = true;
            return opened;
        } finally {
            if (!complete) {
                file.file().close();
            }
        }
    }

    /** One without a file, for a table that is only read. */
    public static IndexFile none(TableContext context, long seed, IndexCommit state) {
        return new IndexFile(context, null, seed, new CommitPlace(state, 0, 0));
    }

    /** Makes the state durable that was found, even if the process that wrote it left that undone. Cuts off a torn end. */
    private void confirm(OpenFile file, @Nullable IndexMark mark) throws IOException {
        boolean isTorn = file.file().size() > position;
        boolean isMarked = mark != null && mark.sequence() == newest.commit().sequence();
        if (isTorn) {
            file.file().truncate(position);
        }
        if (!isMarked) {
            file.writeAgain(newest);
        }
        if (isTorn || !isMarked) {
            sync(file);
        }
        try (StorageDirectory names = context.storage().openDirectory(context.directory())) {
            sync(names);
        }
        if (!isMarked) {
            mark(file);
        }
    }

    /** Seeds the hashes of the table's keys; the same as long as there is the table. */
    public long seed() {
        return seed;
    }

    /** Says that the newest commit is not that of the table. */
    public CorruptionException corrupt(String message) {
        OpenFile file = current;
        return new CorruptionException(file == null ? context.directory() : file.path(), newest.offset(), message);
    }

    /** The newest durable commit. */
    public IndexCommit committed() {
        return newest.commit();
    }

    /** Reads everything up to the newest commit and passes it on. Nothing of the state counts if this throws. */
    public void load(IndexState state) throws IOException {
        OpenFile file = current;
        if (file != null) {
            changes = new IndexLoad(file.reader(newest.end()), state).run(newest.commit()) + waitingChanges;
        }
    }

    /**
     * Writes changes, without syncing. They count with the next commit. If this throws, none of them was written.
     *
     * @param hashes the first 32 bits of the hash, for each change
     * @param olds the word that goes, or 0
     * @param news the word that comes, or 0
     * @param from the first change of the arrays to be written
     * @param to the end of those to be written
     */
    public void changes(int[] hashes, long[] olds, long[] news, int from, int to) throws IOException {
        OpenFile file = usable();
        BlockWriter.Changes all = new BlockWriter.Changes(hashes, olds, news);
        BlockWriter writer = new BlockWriter(file.fileSeed());
        long at = position;
        try {
            for (int i = from; i < to; i += Math.min(to - i, IndexFormat.MOST_CHANGES)) {
                ByteBuffer block = writer.changes(at, all, i, i + Math.min(to - i, IndexFormat.MOST_CHANGES));
                long end = at + block.remaining();
                file.file().write(block, at);
                at = end;
            }
        } catch (IOException e) {
            throw reported(e);
        }
        unsynced |= at > position;
        position = at; // a failure before leaves blocks that the next ones are written over
        waitingChanges += to - from;
        changes = changes + to - from;
    }

    /**
     * Makes all changes that were written durable, as one step.
     *
     * @param lsn the barrier is told of it before the commit is written
     * @param entries how many keys have a value then
     * @param segments what the words point into
     * @throws RefusedException if it was refused, and the state is as before
     * @throws UncertainOutcomeException if it is not known whether the step is durable
     */
    public void commit(long lsn, long entries, ValueSegmentList segments) throws IOException {
        OpenFile file = usable();
        IndexCommit next = new IndexCommit(newest.commit().sequence() + 1, lsn, entries, segments);
        ByteBuffer block = new BlockWriter(file.fileSeed()).commit(file.path(), position, next);
        CommitPlace place = new CommitPlace(next, position, position + block.remaining());
        context.barrier().beforeCommitPoint(lsn);
        if (unsynced) {
            sync(file);
            unsynced = false;
        }
        write(file, block);
        sync(file);
        newest = place;
        position = place.end();
        waitingChanges = 0;
        mark(file);
    }

    private void write(OpenFile file, ByteBuffer commit) throws IOException {
        try {
            file.file().write(commit, position);
        } catch (RefusedException e) {
            takeBack(file, e);
            throw e;
        } catch (Throwable e) {
            throw failure(file.path() + ": a commit could not be written", e);
        }
    }

    /** A part of the commit may be in the file, and that part may be all that counts. */
    private void takeBack(OpenFile file, RefusedException refusal) throws IOException {
        try {
            file.file().truncate(position);
        } catch (Throwable e) {
            e.addSuppressed(refusal);
            throw failure(file.path() + ": a commit that was refused could not be taken back", e);
        }
        sync(file);
    }

    /** Notes that the newest commit is durable. Without the note it is written once more at the next opening. */
    private void mark(OpenFile file) throws IOException {
        try {
            file.write(new IndexMark(newest.commit().sequence(), newest.offset()));
        } catch (RefusedException e) {
            Notices.warning(IndexFile.class, file.path(), "a commit has no mark", e);
        } catch (Throwable e) {
            throw failure(file.path() + ": a mark could not be written", e);
        }
    }

    private void sync(OpenFile file) throws UncertainOutcomeException {
        try {
            file.file().sync();
        } catch (Throwable e) {
            throw failure(file.path() + " could not be synced", e);
        }
    }

    private void sync(StorageDirectory names) throws UncertainOutcomeException {
        try {
            names.sync();
        } catch (Throwable e) {
            throw failure(context.directory() + " could not be synced", e);
        }
    }

    private UncertainOutcomeException failure(String message, Throwable cause) {
        failed = true;
        UncertainOutcomeException failure = new UncertainOutcomeException(message, cause);
        context.failures().fail(failure);
        return failure;
    }

    /** A failure of a write that no commit rests on. */
    private IOException reported(IOException e) {
        if (!(e instanceof RefusedException)) {
            context.failures().fail(e);
        }
        return e;
    }

    private OpenFile usable() throws IOException {
        OpenFile file = current;
        if (file == null || context.readOnly()) {
            throw new IllegalStateException(context.directory() + " is open for reading only");
        }
        if (failed) {
            throw new IOException(file.path() + ": a commit failed before; open the store again");
        }
        return file;
    }

    /**
     * Begins a new file. It does not count before its commit. That commit makes it the current file, with what was written
     * to it alone. One file can be begun at a time.
     */
    public Rewrite rewrite() throws IOException {
        OpenFile file = usable();
        if (rewrite != null) {
            throw new IllegalStateException(file.path() + " is being written anew already");
        }
        OpenFile target = OpenFile.create(context, file.number() + 1);
        Rewrite begun = new Rewrite(target);
        rewrite = begun;
        boolean complete = false;
        try {
            target.file().write(ByteBuffer.wrap(IndexFormat.head(context.fileTag(), target.number(), seed)), 0);
            complete = true;
            return begun;
        } catch (IOException e) {
            throw reported(e);
        } finally {
            if (!complete) {
                begun.close();
            }
        }
    }

    /** Holds the current file up to the newest commit. No commit may be under way. */
    public HeldFile hold() throws IOException {
        return holds.hold(usable(), newest);
    }

    private boolean isReplaced(OpenFile file) {
        OpenFile now = current;
        return now != null && now.number() != file.number();
    }

    /** How many changes there are behind the images of the current file. Known when the file was loaded. */
    public long changesSinceImage() {
        return changes;
    }

    /** Length of the current file and of the one that is being written. */
    public long bytes() {
        return position + rewriteBytes;
    }

    /**
     * Whether a commit ended in a final failure. The next opening may then find that commit, or {@link #committed}. So nothing
     * that one of them needs may be given back any more.
     */
    public boolean hasFailed() {
        return failed;
    }

    /** Reads all bytes. No other call may be under way. */
    public void verify(Findings findings) throws IOException {
        OpenFile file = current;
        if (file != null) {
            new IndexCheck(context, file, findings).run(position);
        }
    }

    @Override
    public void close() throws IOException {
        OpenFile file = current;
        try (Rewrite _ = rewrite) {
            if (file != null) {
                file.file().close();
            }
        }
    }

    /** A new file beside the current one. If a call fails, only {@link #close} is left to be called. */
    public final class Rewrite implements AutoCloseable {

        private final OpenFile target;
        private final FileAppender out;
        private final BlockWriter writer;
        private long changes;
        private boolean isUsable = true;
        private boolean isNamed;

        private Rewrite(OpenFile target) {
            this.target = target;
            this.out = new FileAppender(target.file(), IndexFormat.FIRST_BLOCK, Long.MAX_VALUE);
            this.writer = new BlockWriter(target.fileSeed());
        }

        /**
         * Writes entries of a page. Pages may be copied at any time, if all changes since the first copy are written too.
         *
         * @param prefix the first bits of the hashes of the page
         * @param depth how many bits of the prefix count
         * @param hashes the first 32 bits of the hash, for each entry
         * @param words the word, for each entry
         * @param count how many entries of the arrays are written
         */
        public void image(int prefix, int depth, int[] hashes, long[] words, int count) throws IOException {
            BlockWriter.Entries entries = new BlockWriter.Entries(prefix, depth, hashes, words);
            for (int i = 0; i < count; i += IndexFormat.MOST_ENTRIES) {
                int end = Math.min(count, i + IndexFormat.MOST_ENTRIES);
                append(writer.page(out.written(), entries, i, end));
            }
        }

        /** Writes changes, as {@link IndexFile#changes} does. */
        public void changes(int[] hashes, long[] olds, long[] news, int from, int to) throws IOException {
            BlockWriter.Changes all = new BlockWriter.Changes(hashes, olds, news);
            for (int i = from; i < to; i += Math.min(to - i, IndexFormat.MOST_CHANGES)) {
                append(writer.changes(out.written(), all, i, i + Math.min(to - i, IndexFormat.MOST_CHANGES)));
            }
            changes += to - from;
        }

        private void append(ByteBuffer block) throws IOException {
            usable();
            requireUsable();
            isUsable = false;
            try {
                out.append(block);
            } catch (IOException e) {
                throw reported(e);
            }
            isUsable = true;
            rewriteBytes = out.written();
        }

        private void requireUsable() {
            if (!isUsable) {
                throw new IllegalStateException(target.path() + " failed, was closed or is the current file");
            }
        }

        /** Commits as {@link IndexFile#commit} does, and makes this the current file. Deletes the file before. */
        public void commit(long lsn, long entries, ValueSegmentList segments) throws IOException {
            OpenFile before = usable();
            requireUsable();
            isUsable = false;
            IndexCommit next = new IndexCommit(newest.commit().sequence() + 1, lsn, entries, segments);
            long offset = out.written();
            ByteBuffer block = writer.commit(target.path(), offset, next);
            CommitPlace place = new CommitPlace(next, offset, offset + block.remaining());
            context.barrier().beforeCommitPoint(lsn);
            try {
                out.append(block);
                out.flush();
                target.write(new IndexMark(next.sequence(), offset));
            } catch (IOException e) {
                throw reported(e);
            }
            sync(target);
            name();
            become(place);
            discard(before);
        }

        /** The step that makes the file count. */
        private void name() throws IOException {
            String from = IndexDirectory.unnamedPath(context, target.number());
            // opened first, so that no step after the new name fails for want of a descriptor
            try (StorageDirectory names = context.storage().openDirectory(context.directory())) {
                try {
                    context.storage().rename(from, target.path());
                } catch (RefusedException e) {
                    throw e;
                } catch (Throwable e) {
                    throw failure(from + " could not be renamed", e);
                }
                isNamed = true;
                sync(names);
            }
        }

        private void become(CommitPlace place) {
            rewrite = null;
            current = target;
            newest = place;
            position = place.end();
            rewriteBytes = 0;
            IndexFile.this.changes = changes;
            waitingChanges = 0;
            unsynced = false;
        }

        private void discard(OpenFile before) {
            try {
                before.file().close();
            } catch (Throwable e) {
                Notices.warning(IndexFile.class, before.path(), "it could not be closed", e);
            }
            holds.deleteUnlessHeld(before);
        }

        /** Deletes the file unless it was committed, or may have been. */
        @Override
        public void close() throws IOException {
            isUsable = false;
            if (rewrite == this) {
                rewrite = null;
                rewriteBytes = 0;
                try {
                    target.file().close();
                } finally {
                    if (!isNamed && !failed) {
                        IndexDirectory.delete(context, IndexDirectory.unnamedPath(context, target.number()));
                    }
                }
            }
        }
    }
}
