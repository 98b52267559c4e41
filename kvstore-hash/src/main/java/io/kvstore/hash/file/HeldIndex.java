package io.kvstore.hash.file;

import io.kvstore.engine.FileLease;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An index file up to one commit, held as it is. Blocks are added behind that commit only, and the file stays when another one
 * takes its place. The mark is written in its place, so a copy has the mark of that commit.
 */
final class HeldIndex {

    private final TableContext context;
    private final OpenFile held;
    private final CommitPlace commit;
    private final Predicate<OpenFile> isReplaced;
    private final Consumer<HeldIndex> whenReturned;

    /**
     * Describes the file to be held. The caller registers it.
     *
     * @param isReplaced whether another file has taken its place
     */
    HeldIndex(
            TableContext context,
            OpenFile held,
            CommitPlace commit,
            Predicate<OpenFile> isReplaced,
            Consumer<HeldIndex> whenReturned) {
        this.context = context;
        this.held = held;
        this.commit = commit;
        this.isReplaced = isReplaced;
        this.whenReturned = whenReturned;
    }

    private long replacedBytes() {
        return isReplaced.test(held) ? commit.end() : 0;
    }

    OpenFile held() {
        return held;
    }

    HeldFile file() {
        HeldFile plain = HeldFile.of(context.storage(), held.path(), commit.end(), false, HeldFile.Checker.NONE);
        FileLease lease = new FileLease(this::replacedBytes, () -> whenReturned.accept(this));
        return new HeldFile(plain.name(), plain.bytes(), false, () -> open(plain), lease);
    }

    /** The file is opened last, so that nothing fails afterwards. */
    private Reader open(HeldFile plain) throws IOException {
        BlockCheck check = new BlockCheck(held, context.fileTag());
        byte[] mark = new IndexMark(commit.commit().sequence(), commit.offset()).toBytes(held.fileSeed());
        return new Reader(check, mark, plain.source().open());
    }

    private static final class Reader implements HeldFile.Reader {

        private final BlockCheck check;
        private final byte[] mark;
        private final HeldFile.Reader bytes;
        private long at;

        Reader(BlockCheck check, byte[] mark, HeldFile.Reader bytes) {
            this.check = check;
            this.mark = mark;
            this.bytes = bytes;
        }

        @Override
        public void read(ByteBuffer target) throws IOException {
            ByteBuffer read = target.duplicate();
            int start = target.position();
            bytes.read(target);
            long from = Math.max(at, IndexFormat.MARK_OFFSET);
            long to = Math.min(at + target.position() - start, IndexFormat.FIRST_BLOCK);
            if (from < to) {
                int markAt = (int) (from - IndexFormat.MARK_OFFSET);
                target.put(start + (int) (from - at), mark, markAt, (int) (to - from));
            }
            at += target.position() - start;
            check.add(read.limit(target.position()));
        }

        @Override
        public void end() throws IOException {
            bytes.end();
            check.end();
        }

        @Override
        public void close() throws IOException {
            bytes.close();
        }
    }
}
