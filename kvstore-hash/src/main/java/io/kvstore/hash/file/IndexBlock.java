package io.kvstore.hash.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.error.CorruptionException;
import io.kvstore.hash.index.EntryWord;
import io.kvstore.value.segment.ValueSegmentList;

/**
 * A block whose checksum is right.
 *
 * @param path that of the file
 * @param kind page, changes or commit
 * @param offset where it begins in the file
 * @param end where the next block begins
 * @param payload what it has behind its head; valid until the next block is read
 */
record IndexBlock(String path, int kind, long offset, long end, ByteReader payload) {

    boolean isCommit() {
        return kind == IndexFormat.COMMIT;
    }

    IndexCommit readCommit() {
        long sequence = payload.u64();
        long lsn = payload.u64();
        long entries = payload.u64();
        if (sequence < 1 || lsn < 0 || entries < 0) {
            throw payload.corrupt("a commit contradicts itself");
        }
        return new IndexCommit(sequence, lsn, entries, ValueSegmentList.read(payload));
    }

    /** Reads up to the first entry of a page. Returns how many there are. */
    int readPageHead() {
        payload.skip(Integer.BYTES + 1); // prefix and depth are for people who look at a file
        int zero = payload.u8();
        int count = payload.u16();
        if (zero != 0 || count * IndexFormat.ENTRY_BYTES != payload.remaining()) {
            throw payload.corrupt("a page of " + count + " entries has " + payload.remaining() + " bytes");
        }
        return count;
    }

    /** Reads up to the first change. Returns how many there are. */
    int readChangesHead() {
        int count = payload.u32();
        if (count < 0 || (long) count * IndexFormat.CHANGE_BYTES != payload.remaining()) {
            throw payload.corrupt(count + " changes have " + payload.remaining() + " bytes");
        }
        return count;
    }

    /** Checks that its payload is as its kind wants it. */
    void check() {
        switch (kind) {
            case IndexFormat.PAGE -> checkWords(readPageHead(), 1);
            case IndexFormat.CHANGES -> checkWords(readChangesHead(), 2);
            default -> readCommit();
        }
    }

    private void checkWords(int count, int wordsEach) {
        boolean isSound = true;
        for (int i = 0; i < count; i++) {
            payload.skip(Integer.BYTES);
            for (int word = 0; word < wordsEach; word++) {
                long read = payload.u64();
                isSound &= isEntry(read) || (read == 0 && kind == IndexFormat.CHANGES);
            }
        }
        requireSound(isSound);
    }

    /** Whether a record can lie where a word leads. Whether one does is seen when it is read. */
    static boolean isEntry(long word) {
        return EntryWord.hasRecord(word);
    }

    /** @param isSound whether all words of the block are 0, where that is possible, or {@linkplain #isEntry entries} */
    void requireSound(boolean isSound) {
        if (!isSound) {
            throw corrupt("an entry leads to where no record can lie");
        }
    }

    CorruptionException corrupt(String message) {
        return new CorruptionException(path, offset, message);
    }

    static CorruptionException noneAt(String path, long offset) {
        return new CorruptionException(path, offset, "no valid block begins here, but a later commit needs it");
    }
}
