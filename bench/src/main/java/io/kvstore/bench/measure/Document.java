package io.kvstore.bench.measure;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a command that measures prints: a document that begins with the machine. Mixed into the command. */
// A mixin without options is one by this annotation.
@Command
public final class Document {

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    private CommandSpec command() {
        if (command == null) {
            throw new IllegalStateException("runs as a command only");
        }
        return command;
    }

    /**
     * Prints the title and the lines about the machine.
     *
     * @param machine as {@link Machine} gave it; where its load counts, before the run
     * @return takes the rest
     */
    public PrintWriter begin(String title, List<String> machine) throws IOException {
        PrintWriter out = command().commandLine().getOut();
        out.println("# " + title + ", " + Machine.title());
        out.println();
        machine.forEach(out::println);
        return out;
    }

    public void print(String title, List<String> machine, List<String> body) throws IOException {
        PrintWriter out = begin(title, machine);
        body.forEach(out::println);
        out.flush();
    }

    /** Refuses a number that is not positive. */
    public void requirePositive(String option, long number) {
        if (number < 1) {
            throw refused(option + " is " + number + "; give 1 or more");
        }
    }

    /** Refuses a number that is not positive. It may be a part of 1. */
    public void requirePositive(String option, double number) {
        if (!(number > 0)) {
            String given = String.format(Locale.ROOT, number == Math.rint(number) ? "%.0f" : "%s", number);
            throw refused(option + " is " + given + "; give 1 or more, or a part of 1");
        }
    }

    /** The exception for parameters that cannot be. */
    public ParameterException refused(String message) {
        return new ParameterException(command().commandLine(), message);
    }
}
