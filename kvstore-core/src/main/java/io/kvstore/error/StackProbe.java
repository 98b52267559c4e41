package io.kvstore.error;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets a stack that is nearly full overflow at a harmless moment: before something is taken that has to be given back.
 *
 * <p>A {@link StackOverflowError} is thrown where a method is entered. So methods with large frames that are entered now, and
 * left again, say that as much can be entered later, among it what gives back what was taken. What is called between the two
 * may go deeper, and overflow; then the way back is free.
 *
 * <p>The frame of a method is as large as the most that it keeps at a time, also where it hardly ever does. So
 * {@link #descend} keeps many words over a call in one of some dozen calls, and has a large frame in each, which takes no
 * more time than a small one.
 */
public final class StackProbe {

    /**
     * A kilobyte: what it takes to give locks and reservations back, and to fail a store. Where a recursion put at each depth
     * until its stack ended, two thirds of it left a lock taken in one of some hundred lives, all of it in none of 347.
     */
    private static final int FRAMES = 8;

    /** What it takes to write to a file and to sync it. */
    private static final int FRAMES_FOR_LONG = 56;

    /** So often many words are kept: the compiler leaves out what it has never seen happen. */
    private static final int EVERY = 64;

    private static final long[] WORDS = new long[28];

    /** Any thread changes it, and may lose what another one did: it only has to go on. */
    private static final AtomicInteger TURNS = new AtomicInteger();

    private StackProbe() {}

    /**
     * Returns if the stack has room for giving back what is taken next; takes some nanoseconds.
     *
     * @throws StackOverflowError if it has not
     */
    public static void forShort() {
        probe(FRAMES);
    }

    /**
     * The same for work with files.
     *
     * @throws StackOverflowError if there is no room for it
     */
    public static void forLong() {
        probe(FRAMES_FOR_LONG);
    }

    private static void probe(int frames) {
        int turn = TURNS.getPlain() + 1;
        TURNS.setPlain(turn);
        descend(frames, turn % EVERY == 0, WORDS);
    }

    /** What is read before the call is kept until it returns. */
    private static long descend(int frames, boolean keeps, long[] w) {
        if (frames == 0) {
            return 0;
        }
        if (!keeps) {
            return descend(frames - 1, false, w) + frames;
        }
        long v0 = w[0], v1 = w[1], v2 = w[2], v3 = w[3];
        long v4 = w[4], v5 = w[5], v6 = w[6], v7 = w[7];
        long v8 = w[8], v9 = w[9], v10 = w[10], v11 = w[11];
        long v12 = w[12], v13 = w[13], v14 = w[14], v15 = w[15];
        long v16 = w[16], v17 = w[17], v18 = w[18], v19 = w[19];
        long v20 = w[20], v21 = w[21], v22 = w[22], v23 = w[23];
        long v24 = w[24], v25 = w[25], v26 = w[26], v27 = w[27];
        long below = descend(frames - 1, true, w);
        below = below ^ v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5 ^ v6 ^ v7 ^ v8 ^ v9 ^ v10 ^ v11 ^ v12 ^ v13;
        return below ^ v14 ^ v15 ^ v16 ^ v17 ^ v18 ^ v19 ^ v20 ^ v21 ^ v22 ^ v23 ^ v24 ^ v25 ^ v26 ^ v27;
    }
}
