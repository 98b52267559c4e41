package io.kvstore.hash.file;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import java.io.IOException;

/** Reads all bytes of an index file. Goes on behind damage, where the next valid block begins. */
record IndexCheck(TableContext context, OpenFile file, Findings findings) {

    /** @param end where the next block will begin */
    void run(long end) throws IOException {
        checkHead();
        BlockReader blocks = file.reader(end);
        long due = 0;
        long at = IndexFormat.FIRST_BLOCK;
        while (at < end) {
            findings.requireGoing();
            IndexBlock block = blocks.at(at);
            if (block == null) {
                findings.report(file.path(), at, "no valid block begins here");
                block = blocks.firstFrom(at + IndexFormat.BLOCK_UNIT_BYTES, false);
                due = 0;
            }
            due = block == null ? due : check(block, due);
            at = block == null ? end : block.end();
        }
    }

    /** A loss of power may leave a torn mark. An opening makes it again, except where nothing may be written. */
    private void checkHead() throws IOException {
        try {
            long _ = file.readHead(context);
            if (file.readMark() == null && !context.readOnly()) {
                findings.report(file.path(), IndexFormat.MARK_OFFSET, "the mark is damaged");
            }
        } catch (CorruptionException e) {
            report(e);
        }
    }

    /** Returns the sequence that the next commit has, or 0 if that is not known. */
    private long check(IndexBlock block, long due) {
        try {
            if (block.isCommit()) {
                return CommitPlace.following(block, due).sequence() + 1;
            }
            block.check();
        } catch (CorruptionException e) {
            report(e);
            return block.isCommit() ? 0 : due;
        }
        return due;
    }

    private void report(CorruptionException e) {
        findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
    }
}
