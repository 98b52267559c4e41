package io.kvstore.io;

/**
 * The names of files that are told apart by a number: the number in ASCII digits, with zeros before it, and a suffix. They are
 * all made and read here, because such a name is part of the format: it is the same in every locale.
 *
 * <p>Each number from 0 on has one name, and what {@link #numberIn} takes for a number has exactly that name; every other name
 * belongs to somebody else.
 *
 * @param digits the fewest that a name has; numbers that need more have more
 * @param suffix what follows them
 */
public record NumberedName(int digits, String suffix) {

    private static final int MOST_DIGITS = 19;

    /** The name of a number, which is not negative. */
    public String of(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("there is no name for " + number);
        }
        String text = Long.toString(number);
        return "0".repeat(Math.max(0, digits - text.length())) + text + suffix;
    }

    /** The number that has this name, or -1. */
    public long numberIn(String name) {
        int length = name.length() - suffix.length();
        if (length < digits || length > MOST_DIGITS || !name.endsWith(suffix)) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < length; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit; // 19 digits pass the largest long by less than as much: the sign shows it
        }
        return number < 0 || (length > digits && name.charAt(0) == '0') ? -1 : number;
    }
}
