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

    /** Arguments are read from left to right, so those of all lines are kept until the call in the last one returns. */
    private static long descend(int frames, boolean keeps, long[] w) {
        if (frames == 0) {
            return 0;
        }
        if (!keeps) {
            return descend(frames - 1, false, w) + frames;
        }
        return mix(
                w[0],
                w[1],
                w[2],
                w[3],
                w[4],
                w[5],
                w[6],
                mix(
                        w[7],
                        w[8],
                        w[9],
                        w[10],
                        w[11],
                        w[12],
                        w[13],
                        mix(
                                w[14],
                                w[15],
                                w[16],
                                w[17],
                                w[18],
                                w[19],
                                w[20],
                                mix(w[21], w[22], w[23], w[24], w[25], w[26], w[27], descend(frames - 1, true, w)))));
    }

    private static long mix(long a, long b, long c, long d, long e, long f, long g, long rest) {
        return a ^ b ^ c ^ d ^ e ^ f ^ g ^ rest;
    }
}
