package io.kvstore.cli.shell;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command that is run again and again.
 *
 * @param pauseNanos the time between two runs
 * @param times how often it is run; 0 for no end
 * @param command its words
 */
record Watch(long pauseNanos, long times, List<String> command) {

    private static final double USUAL_SECONDS = 2;
    private static final double LEAST_SECONDS = 0.01;
    private static final double MOST_SECONDS = 3_600;

    /** Reads the words behind {@code watch}. */
    static Watch of(List<String> words) {
        double seconds = USUAL_SECONDS;
        long times = 0;
        int at = 0;
        while (at + 1 < words.size() && words.get(at).startsWith("-")) {
            switch (words.get(at)) {
                case "-n" -> seconds = number(words.get(at + 1), LEAST_SECONDS, MOST_SECONDS);
                case "-c" -> times = (long) number(words.get(at + 1), 1, Integer.MAX_VALUE);
                default -> throw bad("there is no option " + words.get(at) + " of watch");
            }
            at += 2;
        }
        if (at >= words.size()) {
            throw bad("watch needs a command");
        }
        return new Watch(
                (long) (seconds * TimeUnit.SECONDS.toNanos(1)), times, List.copyOf(words.subList(at, words.size())));
    }

    private static double number(String word, double least, double most) {
        double number;
        try {
            number = Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw bad("\"" + word + "\" is no number");
        }
        if (!(number >= least && number <= most)) {
            throw bad(word + " is out of range; give " + least + " to " + most);
        }
        return number;
    }

    private static CommandFailure bad(String message) {
        return new CommandFailure(ExitStatus.USAGE, message + "; give watch [-n SECONDS] [-c TIMES] COMMAND");
    }
}
