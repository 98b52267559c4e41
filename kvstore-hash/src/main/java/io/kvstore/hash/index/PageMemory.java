package io.kvstore.hash.index;

import io.kvstore.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the pages, outside the heap. It comes from the budget in pieces: small ones for a small table, each next one a
 * sixteenth of what there is. What a page leaves is used for other pages at once. A reader may still look at it, so the pieces
 * stay until the table is closed.
 *
 * <p>A piece has the words of its lines first, and behind them the hashes of their entries, at the same number of the line. So
 * words begin where a cache line does, whatever the size of a page. Readers look at words only.
 *
 * <p>Only the writer calls methods here, but for {@link #piece} and {@link #wordsAt}.
 */
final class PageMemory implements AutoCloseable {

    static final int LINE_WORDS = 8;
    static final int WORD_BYTES = LINE_WORDS * Long.BYTES;
    private static final int HASH_BYTES = LINE_WORDS * Integer.BYTES;

    /** Of the words and of the hashes of one line. */
    static final int LINE_BYTES = WORD_BYTES + HASH_BYTES;

    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final VarHandle WORD = LONG.varHandle();

    private static final MemoryBudget.Use USE = MemoryBudget.Use.HASH_INDEX;

    /** About 3 KiB: a table of a hundred keys needs no more. */
    private static final int LEAST_PIECE_LINES = 32;

    /** Almost 4 MiB. To clear more takes longer than a writer should wait. */
    private static final int MOST_PIECE_LINES = (4 << 20) / LINE_BYTES;

    private static final int GROWTH_PART = 16;

    private final MemoryBudget budget;
    private final PieceSource source;
    private final FreeLines free = new FreeLines();
    private final List<Arena> arenas = new ArrayList<>();
    private long lines;
    private long missingBytes;

    /** Replaced when a piece is added, before any page lies in it. */
    private volatile MemorySegment[] pieces = {};

    PageMemory(MemoryBudget budget, PieceSource source) {
        this.budget = budget;
        this.source = source;
    }

    /** Where pieces come from. Replaced in tests, where a machine without memory is wanted. */
    @FunctionalInterface
    interface PieceSource {
        MemorySegment allocate(Arena arena, long bytes);
    }

    /** Takes memory for a page. Returns its address, or -1 if neither budget nor machine has it; then nothing has changed. */
    long take(int wanted) {
        if (wanted == 0) {
            return 0;
        }
        long address = free.take(wanted);
        if (address < 0) {
            int usual = Math.clamp(lines / GROWTH_PART, LEAST_PIECE_LINES, MOST_PIECE_LINES);
            if (tryAdd(Math.max(usual, wanted)) || (usual > wanted && tryAdd(wanted))) {
                address = free.take(wanted);
            }
        }
        return address;
    }

    /** Gives the memory of a page back, which no word of the directory leads to any more. */
    void give(long address, int given) {
        if (given > 0) {
            free.give(address, given);
        }
    }

    private boolean tryAdd(int pieceLines) {
        long bytes = (long) pieceLines * LINE_BYTES;
        missingBytes = budget.tryTake(USE, bytes) ? 0 : bytes;
        if (missingBytes > 0) {
            return false;
        }
        Arena arena = null;
        boolean added = false;
        try {
            FreeLines.Addition addition = free.prepare(pieceLines);
            arena = Arena.ofShared();
            MemorySegment piece = source.allocate(arena, bytes);
            added = arenas.add(arena);
            free.add(addition, piece);
            pieces = free.pieces();
            lines += pieceLines;
        } catch (OutOfMemoryError e) {
            // for the caller the budget is as good as empty
        } finally {
            if (!added) {
                giveUp(bytes, arena);
            }
        }
        return added;
    }

    private void giveUp(long bytes, @Nullable Arena arena) {
        budget.release(USE, bytes);
        if (arena != null) {
            arena.close();
        }
    }

    /** The piece that a page lies in. For any thread that has found the page in the directory. */
    MemorySegment piece(long pageWord) {
        return pieces[PageWord.pieceOf(PageWord.address(pageWord))];
    }

    /** Where the words of a page begin in its piece. For any thread. */
    static long wordsAt(long pageWord) {
        return (long) PageWord.lineOf(PageWord.address(pageWord)) * WORD_BYTES;
    }

    static long wordsAt(int line) {
        return (long) line * WORD_BYTES;
    }

    static long hashesAt(MemorySegment piece, int line) {
        return (long) lines(piece) * WORD_BYTES + (long) line * HASH_BYTES;
    }

    static int lines(MemorySegment piece) {
        return (int) (piece.byteSize() / LINE_BYTES);
    }

    /** Whether the pages may have so many bytes in all. */
    boolean hasRoom(long bytes) {
        return budget.hasRoom(USE, bytes - takenBytes());
    }

    /** Lines that pages have. */
    long usedLines() {
        return lines - free.lines();
    }

    /** Called before a reservation, so that {@link #missingBytes} tells of no older one. */
    void forgetMissing() {
        missingBytes = 0;
    }

    /** The bytes that the budget lacked when the last page was refused. 0 if the machine had no memory. */
    long missingBytes() {
        return missingBytes;
    }

    long takenBytes() {
        return lines * LINE_BYTES;
    }

    /** Gives all memory back. No thread may use it any more. */
    @Override
    public void close() {
        budget.release(USE, takenBytes());
        lines = 0;
        pieces = new MemorySegment[0];
        arenas.forEach(Arena::close);
        arenas.clear();
    }
}
