package io.kvstore.hash.file;

import io.kvstore.error.CorruptionException;
import java.io.IOException;

/**
 * Reads an index file up to its newest commit. A page may have been copied after changes that lie before it in the file, so all
 * pages come first. They lie before the first commit of a file; so little but those is read twice.
 */
final class IndexLoad {

    private static final int ENTRY_NUMBERS = IndexFormat.ENTRY_BYTES / Integer.BYTES;
    private static final int CHANGE_NUMBERS = IndexFormat.CHANGE_BYTES / Integer.BYTES;

    private final BlockReader blocks;
    private final IndexState state;
    private final int[] hashes = new int[IndexFormat.MOST_ENTRIES];
    private final long[] words = new long[IndexFormat.MOST_ENTRIES];

    /** Those of a block, all read at once. Plain arrays are fast from the first block on, long before code is optimized. */
    private final int[] numbers =
            new int[Math.max(IndexFormat.MOST_CHANGES * CHANGE_NUMBERS, IndexFormat.MOST_ENTRIES * ENTRY_NUMBERS)];

    private long changes;

    /** @param blocks ends with the newest commit */
    IndexLoad(BlockReader blocks, IndexState state) {
        this.blocks = blocks;
        this.state = state;
    }

    /** Returns how many changes there are. */
    long run(IndexCommit newest) throws IOException {
        long at = images();
        long sequence = 0;
        while (at < blocks.end()) {
            IndexBlock block = blocks.require(at);
            switch (block.kind()) {
                case IndexFormat.COMMIT -> {
                    long due = sequence == 0 ? 0 : sequence + 1;
                    sequence = CommitPlace.following(block, due).sequence();
                }
                case IndexFormat.CHANGES -> changes(block);
                default -> {
                    if (sequence != 0) {
                        throw block.corrupt("a page lies behind a commit");
                    }
                }
            }
            at = block.end();
        }
        if (sequence != newest.sequence()) {
            throw new CorruptionException(
                    blocks.path(), at, "ends with commit " + sequence + ", and not with " + newest.sequence());
        }
        return changes;
    }

    /** Reads the pages, up to the first commit. Returns where the first block lies that is no page. */
    private long images() throws IOException {
        long first = 0;
        IndexBlock block = blocks.require(IndexFormat.FIRST_BLOCK);
        while (!block.isCommit()) {
            if (block.kind() == IndexFormat.PAGE) {
                image(block);
            } else if (first == 0) {
                first = block.offset();
            }
            block = blocks.require(block.end());
        }
        return first == 0 ? block.offset() : first;
    }

    /** Passes on one block, if it is of the kind. */
    void pass(IndexBlock block, boolean isImage) throws IOException {
        if (isImage && block.kind() == IndexFormat.PAGE) {
            image(block);
        } else if (!isImage && block.kind() == IndexFormat.CHANGES) {
            changes(block);
        }
    }

    private void image(IndexBlock block) throws IOException {
        int count = block.readPageHead();
        block.payload().ints(numbers, count * ENTRY_NUMBERS);
        boolean isSound = true;
        for (int i = 0, at = 0; i < count; i++, at += ENTRY_NUMBERS) {
            hashes[i] = numbers[at];
            words[i] = number(at + 1);
            isSound &= IndexBlock.isEntry(words[i]);
        }
        block.requireSound(isSound);
        state.image(hashes, words, count);
    }

    private void changes(IndexBlock block) throws IOException {
        int count = block.readChangesHead();
        block.payload().ints(numbers, count * CHANGE_NUMBERS);
        for (int i = 0, at = 0; i < count; i++, at += CHANGE_NUMBERS) {
            long old = number(at + 1);
            long added = number(at + 3);
            block.requireSound((old == 0 || IndexBlock.isEntry(old)) && (added == 0 || IndexBlock.isEntry(added)));
            state.change(numbers[at], old, added);
        }
        changes += count;
    }

    /** The number of 64 bits of which the halves lie at an index. */
    private long number(int at) {
        return Integer.toUnsignedLong(numbers[at]) | (long) numbers[at + 1] << Integer.SIZE;
    }
}
