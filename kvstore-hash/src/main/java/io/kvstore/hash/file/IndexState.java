package io.kvstore.hash.file;

import java.io.IOException;

/** Is given the state that an index file has: first all entries of its images, then all changes, in the order of the file. */
public interface IndexState {

    /**
     * Adds entries. A page may come in any order and in several parts, and a change may drop an entry or add it again.
     *
     * @param hashes the first 32 bits of the hash of each entry; valid during the call only
     * @param words the word of each entry; valid during the call only
     * @param count how many entries these are
     */
    void image(int[] hashes, long[] words, int count) throws IOException;

    /**
     * Drops a word if it is there, and adds another one if that is not there.
     *
     * @param hash the first 32 bits of the hash
     * @param old the word to drop, or 0
     * @param added the word to add, or 0
     */
    void change(int hash, long old, long added) throws IOException;
}
