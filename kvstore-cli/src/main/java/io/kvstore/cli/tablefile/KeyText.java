package io.kvstore.cli.tablefile;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.rows.Encoding;
import picocli.CommandLine.Option;

/** How keys are written on the command line. */
final class KeyText {

    @Option(
            names = "--key-encoding",
            paramLabel = "ENCODING",
            defaultValue = "utf8",
            description = "How keys of the command line are written: utf8, hex or base64. Default: ${DEFAULT-VALUE}")
    private Encoding encoding = Encoding.UTF8;

    /** The bytes of a key. */
    byte[] bytes(String name, String text) {
        try {
            return encoding.bytes(text);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, name + " \"" + text + "\" " + e.getMessage());
        }
    }
}
