package io.kvstore.error;

/**
 * Lets a stack that is nearly full overflow at a harmless moment: before something is taken that has to be given back.
 *
 * <p>A {@link StackOverflowError} is thrown where a method is entered. So a few methods that are entered now, and left again,
 * say that as many can be entered later, among them those that give back what was taken. What is called between the two may go
 * deeper, and overflow; then the way back is free.
 */
public final class StackProbe {

    /**
     * A kilobyte, of 44 bytes a frame: what it takes to give locks and reservations back, and to fail a store. A frame takes
     * 0.8 ns. Where a recursion put at each depth until its stack ended, 16 frames left a lock taken in one of some hundred
     * lives, 24 in none of 347 on a quiet machine; on a busy one 3 of 330 were reported late, whose store still closed. Few
     * methods with large frames would take a third of the time. But how large a frame is depends on what the compiler has seen
     * happen: in one of three runs of many tests the large ones had a fifth of what they should.
     */
    private static final int FRAMES = 24;

    /** What it takes to write to a file and to sync it. */
    private static final int FRAMES_FOR_LONG = 192;

    private StackProbe() {}

    /**
     * Returns if the stack has room for giving back what is taken next; takes some tens of nanoseconds.
     *
     * @throws StackOverflowError if it has not
     */
    public static void forShort() {
        descend(FRAMES, 1, 2, 3);
    }

    /**
     * The same for work with files.
     *
     * @throws StackOverflowError if there is no room for it
     */
    public static void forLong() {
        descend(FRAMES_FOR_LONG, 1, 2, 3);
    }

    /** What it returns rests on all that it was given, so that each frame keeps it while the next one is entered. */
    private static long descend(int frames, long first, long second, long third) {
        return frames == 0 ? first : descend(frames - 1, second, third, first) + (first ^ second) + third;
    }
}
