package io.kvstore.hash.file;

import io.kvstore.error.CorruptionException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A commit, and where its block lies.
 *
 * @param offset where the block begins
 * @param end where the block ends, and the next one begins
 */
record CommitPlace(IndexCommit commit, long offset, long end) {

    /**
     * Finds the newest commit of a file. Begins at the commit to which the mark leads, and does not look at what lies before.
     *
     * <p>A commit is written when all before it is durable. So a crash leaves no valid commit behind a block that is not valid:
     * where there is one, the file was damaged, and nothing is torn.
     *
     * @param mark null if the file has none that is valid
     */
    static CommitPlace newest(BlockReader blocks, @Nullable IndexMark mark) throws IOException {
        CommitPlace newest = null;
        long at = mark == null ? IndexFormat.FIRST_BLOCK : mark.offset();
        IndexBlock block = blocks.at(at);
        if (mark != null && (block == null || !block.isCommit())) {
            throw new CorruptionException(
                    blocks.path(), at, "commit " + mark.sequence() + " was durable and is not here");
        }
        while (block != null) {
            if (block.isCommit()) {
                long due = newest != null ? newest.commit.sequence() + 1 : mark != null ? mark.sequence() : 0;
                newest = new CommitPlace(following(block, due), block.offset(), block.end());
            }
            at = block.end();
            block = blocks.at(at);
        }
        IndexBlock later = blocks.firstFrom(at, true);
        if (later != null) {
            throw IndexBlock.noneAt(blocks.path(), at);
        }
        if (newest == null) {
            throw new CorruptionException(blocks.path(), at, "the file has no valid commit");
        }
        return newest;
    }

    /** Reads a commit whose sequence is known, unless that is 0. */
    static IndexCommit following(IndexBlock block, long sequence) {
        IndexCommit commit = block.readCommit();
        if (sequence != 0 && commit.sequence() != sequence) {
            throw block.corrupt("is commit " + commit.sequence() + ", and commit " + sequence + " is due");
        }
        return commit;
    }
}
