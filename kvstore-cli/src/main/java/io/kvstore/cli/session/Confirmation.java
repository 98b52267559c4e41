package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import picocli.CommandLine.Option;

/** The option of a command that destroys. Without it a person has to type the name of the thing. */
public final class Confirmation {

    @Option(names = "--yes", description = "Do not ask for the name again. Needed where no person is at a terminal.")
    private boolean yes;

    /**
     * Ends the command, unless it is to go on.
     *
     * @param deed the verb of the question, such as {@code drop}
     * @param name the thing, as it has to be typed
     */
    public void require(Session session, String deed, String name) {
        if (yes) {
            return;
        }
        Terminals terminals = session.console().terminals();
        if (!terminals.in() || !terminals.errors()) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "to " + deed + " " + name + " where nobody can be asked, give --yes");
        }
        String typed = session.ask("Type the name, " + name + ", to " + deed + " it: ");
        if (!name.equals(typed)) {
            throw new CommandFailure(ExitStatus.ERROR, "the name was not typed; nothing has changed");
        }
    }
}
