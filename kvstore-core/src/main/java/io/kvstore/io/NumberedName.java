package io.kvstore.io;

/**
 * The names of files that are told apart by a number: the number in ASCII digits, with zeros before it, and a suffix. All such
 * names are made and read here, because a name is part of the format and must be the same in every locale.
 *
 * <p>Each number from 0 on has exactly one name, and {@link #numberIn} accepts only that name. Every other name belongs to
 * other code.
 *
 * @param digits the least number of digits in a name; greater numbers have more
 * @param suffix the text that follows the digits
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
            number = number * 10 + digit; // 19 digits are less than twice the largest long: the sign shows an overflow
        }
        return number < 0 || (length > digits && name.charAt(0) == '0') ? -1 : number;
    }
}
