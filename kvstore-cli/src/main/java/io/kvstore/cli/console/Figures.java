package io.kvstore.cli.console;

import java.util.Locale;

/** Figures as people read them. */
public final class Figures {

    private static final double LONGEST_SECONDS = 99 * 86_400;

    private Figures() {}

    /** A number with commas between thousands, with its noun. */
    public static String count(long number, String noun) {
        return count(number) + " " + (number == 1 ? noun : plural(noun));
    }

    private static String plural(String noun) {
        return noun.endsWith("y") ? noun.substring(0, noun.length() - 1) + "ies" : noun + "s";
    }

    /** A number with commas between thousands. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Seconds with one digit behind the point. */
    public static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    /** How many things there were in a second. */
    static long rate(long things, long nanos) {
        return Math.round(things * 1e9 / Math.max(nanos, 1));
    }

    /** How many things of a noun there were in a second. */
    public static String rate(long things, String noun, long nanos) {
        return count(rate(things, nanos)) + " " + plural(noun) + "/s";
    }

    /** A time that is left, such as 1:05 for 65 seconds. */
    static String left(double seconds) {
        long whole = (long) Math.min(seconds, LONGEST_SECONDS);
        long hours = whole / 3_600;
        return hours > 0
                ? String.format(Locale.ROOT, "%d:%02d:%02d left", hours, whole / 60 % 60, whole % 60)
                : String.format(Locale.ROOT, "%d:%02d left", whole / 60, whole % 60);
    }
}
