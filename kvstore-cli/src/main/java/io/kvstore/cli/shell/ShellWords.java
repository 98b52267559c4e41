package io.kvstore.cli.shell;

import java.util.List;

/** The commands that only the shell has. */
final class ShellWords {

    static final List<String> ALL =
            List.of("use", "watch", "help", "exit", ".help", ".mode", ".read", ".tables", ".timing", ".quit");

    static final String HELP = """
            use DB, use DB/TABLE      work on a database or a table from now on; 'use' alone on none
            watch [-n SECONDS] [-c TIMES] COMMAND
                                      run a command again and again, each 2 s, until Ctrl-C
            .mode table|json|raw|hex  write all answers in this form; '.mode default' ends that
            .timing on|off            tell how long each command took
            .read FILE                run the lines of a file, up to one that fails
            .tables                   list the tables, as 'table list'
            .help, .help COMMAND      show this text, or the help of a command
            .quit                     leave; so does Ctrl-D
            A key or value may have escapes: \\xff is a byte, \\n a newline, \\\\ a backslash. Blanks stand in quotes,
            or behind a backslash. In single quotes a backslash is a backslash.
            """;

    private ShellWords() {}
}
