package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.util.regex.Pattern;

/** Names of databases and tables. A bad one is refused before anything is sent. */
public final class Names {

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
    private static final int MOST_SHOWN_CHARS = 80;

    private Names() {}

    /** A name that may be that of a database or a table. */
    public static String checked(String what, String name) {
        if (!FORM.matcher(name).matches()) {
            String shown = name.length() > MOST_SHOWN_CHARS ? name.substring(0, MOST_SHOWN_CHARS) + "..." : name;
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "\"" + shown + "\" is no name of a " + what + "; give 1 to 64 of A-Z a-z 0-9 _ . -,"
                            + " of which the first is a letter or a digit");
        }
        return name;
    }
}
