package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says how a command writes its answer. */
public final class GivenOutput {

    @Option(
            names = "--output",
            paramLabel = "FORM",
            description = "table, json, raw or hex. Default: raw for one value, table for lists, and in the shell the"
                    + " form of '.mode'")
    private @Nullable OutputForm output;

    /** The form of an answer that can have each of them. */
    public OutputForm of(Session session, OutputForm usual) {
        if (output != null) {
            return output;
        }
        OutputForm ofSession = session.form();
        return ofSession == null ? usual : ofSession;
    }

    /** Whether an answer that is a list of figures is written as JSON. Other forms than JSON and a table are refused. */
    public boolean isJson(Session session) {
        if (output == OutputForm.RAW || output == OutputForm.HEX) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--output is " + output.name().toLowerCase(Locale.ROOT)
                            + ", which is for values; give table or json");
        }
        return of(session, OutputForm.TABLE) == OutputForm.JSON;
    }
}
