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
        try {
            long number = name.endsWith(suffix) ? Long.parseLong(name, 0, name.length() - suffix.length(), 10) : -1;
            return number >= 0 && of(number).equals(name) ? number : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
