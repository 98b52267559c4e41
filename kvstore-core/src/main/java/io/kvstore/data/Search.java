package io.kvstore.data;

import java.util.function.IntPredicate;

/** Binary search in numbers, such as the indexes of things that are in order. */
public final class Search {

    private Search() {}

    /**
     * The first number from {@code from} on for which a condition is false, or {@code to} if there is none below it.
     *
     * @param isBefore true for numbers at the front only
     */
    public static int firstNot(int from, int to, IntPredicate isBefore) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isBefore.test(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
