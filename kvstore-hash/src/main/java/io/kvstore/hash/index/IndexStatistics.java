package io.kvstore.hash.index;

/**
 * Figures of an index.
 *
 * @param pageBytes memory of the pages that are in use, and of the directory, which is on the heap
 * @param takenBytes memory that was taken from the budget: pages, and what is free for the next ones
 * @param spilledEntries entries that do not lie in their home lines
 * @param movedEntries entries that growth has copied since the index was made
 */
public record IndexStatistics(
        long entries, long pages, long lines, long pageBytes, long takenBytes, long spilledEntries, long movedEntries) {

    /** The part of the words that have an entry. */
    public double load() {
        return lines == 0 ? 0 : (double) entries / (lines * PageMemory.LINE_WORDS);
    }
}
