package io.kvstore.hash.index;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The free ranges of lines in all pieces of a {@link PageMemory}: boundary tags, and a list of ranges for each length. Ranges
 * beside each other become one, because most pages of a table grow to the next size at the same time, and what they leave must
 * be of use for larger pages.
 *
 * <p>The lists lie in the free memory itself, so giving lines back needs no memory and cannot fail. They lie where hashes of
 * entries were, which readers never look at. The first line of a range has its length and its neighbours in the list, the last
 * line has where the range begins.
 */
final class FreeLines {

    /** Ranges of this length or more are in one list. */
    private static final int LONG_RANGE = 128;

    private static final long NONE = -1;

    private static final long LENGTH = 0;
    private static final long BEFORE = Long.BYTES;
    private static final long BEHIND = 2 * Long.BYTES;
    private static final long BEGIN = 3 * Long.BYTES;

    private final long[] firsts = new long[LONG_RANGE + 1];
    private MemorySegment[] pieces = {};

    /** A bit for each line that is the first or the last of a free range, for each piece. */
    private long[][] edges = {};

    private long lines;

    FreeLines() {
        Arrays.fill(firsts, NONE);
    }

    /** What a new piece needs on the heap. Made before the piece is added, because it may fail. */
    record Addition(MemorySegment[] pieces, long[][] edges) {}

    Addition prepare(int pieceLines) {
        MemorySegment[] morePieces = Arrays.copyOf(pieces, pieces.length + 1);
        long[][] moreEdges = Arrays.copyOf(edges, edges.length + 1);
        moreEdges[edges.length] = new long[Math.ceilDiv(pieceLines, Long.SIZE)];
        return new Addition(morePieces, moreEdges);
    }

    /** Adds a piece of memory, all of it free. */
    void add(Addition addition, MemorySegment piece) {
        int number = pieces.length;
        addition.pieces[number] = piece;
        pieces = addition.pieces;
        edges = addition.edges;
        give((long) number << PageWord.LINE_BITS, PageMemory.lines(piece));
    }

    MemorySegment[] pieces() {
        return pieces;
    }

    /** How many lines are free. */
    long lines() {
        return lines;
    }

    /** Takes lines beside each other: from the shortest range that has enough. Returns the address, or -1 if there is none. */
    long take(int wanted) {
        for (int length = wanted; length <= LONG_RANGE; length++) {
            long address = firsts[length];
            if (address != NONE) {
                int found = length(address);
                unlink(address, found);
                if (found > wanted) {
                    link(address + wanted, found - wanted);
                }
                lines -= wanted;
                return address;
            }
        }
        return NONE;
    }

    /** Gives lines back that were taken, or a part of them. */
    void give(long address, int given) {
        lines += given;
        long first = address;
        int length = given;
        int line = PageWord.lineOf(address);
        long piece = address - line;
        if (line > 0 && isEdge(address - 1)) {
            first = piece + get(address - 1, BEGIN);
            int before = length(first);
            unlink(first, before);
            length += before;
        }
        int end = line + given;
        if (end < PageMemory.lines(piece(address)) && isEdge(piece + end)) {
            int behind = length(piece + end);
            unlink(piece + end, behind);
            length += behind;
        }
        link(first, length);
    }

    private void link(long address, int length) {
        int list = Math.min(length, LONG_RANGE);
        long next = firsts[list];
        set(address, LENGTH, length);
        set(address, BEFORE, NONE);
        set(address, BEHIND, next);
        if (next != NONE) {
            set(next, BEFORE, address);
        }
        firsts[list] = address;
        long last = address + length - 1;
        set(last, BEGIN, PageWord.lineOf(address));
        setEdge(address, true);
        setEdge(last, true);
    }

    private void unlink(long address, int length) {
        long before = get(address, BEFORE);
        long behind = get(address, BEHIND);
        if (before == NONE) {
            firsts[Math.min(length, LONG_RANGE)] = behind;
        } else {
            set(before, BEHIND, behind);
        }
        if (behind != NONE) {
            set(behind, BEFORE, before);
        }
        setEdge(address, false);
        setEdge(address + length - 1, false);
    }

    private int length(long address) {
        return (int) get(address, LENGTH);
    }

    private boolean isEdge(long address) {
        int line = PageWord.lineOf(address);
        return (edges[PageWord.pieceOf(address)][line / Long.SIZE] & (1L << line)) != 0;
    }

    private void setEdge(long address, boolean isEdge) {
        int line = PageWord.lineOf(address);
        long[] bits = edges[PageWord.pieceOf(address)];
        long bit = 1L << line;
        bits[line / Long.SIZE] = isEdge ? bits[line / Long.SIZE] | bit : bits[line / Long.SIZE] & ~bit;
    }

    private MemorySegment piece(long address) {
        return pieces[PageWord.pieceOf(address)];
    }

    private long get(long address, long field) {
        MemorySegment piece = piece(address);
        return piece.get(PageMemory.LONG, PageMemory.hashesAt(piece, PageWord.lineOf(address)) + field);
    }

    private void set(long address, long field, long value) {
        MemorySegment piece = piece(address);
        piece.set(PageMemory.LONG, PageMemory.hashesAt(piece, PageWord.lineOf(address)) + field, value);
    }
}
