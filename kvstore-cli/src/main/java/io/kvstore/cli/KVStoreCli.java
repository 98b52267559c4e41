package io.kvstore.cli;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.util.List;

/** The command {@code kvstore}, as a process of its own. */
public final class KVStoreCli {

    /** Which of {@code in}, {@code out} and {@code err} are terminals, which the launcher knows and a JVM does not. */
    private static final String TERMINALS = "kvstore.terminals";

    private KVStoreCli() {}

    /** Runs a command and exits with its status. */
    public static void main(String[] arguments) {
        Console console = new Console(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                terminals(System.getProperty(TERMINALS, "")),
                System::nanoTime);
        System.exit(Commands.run(console, arguments));
    }

    private static Terminals terminals(String property) {
        List<String> names = List.of(property.split(",", -1));
        return new Terminals(names.contains("in"), names.contains("out"), names.contains("err"));
    }
}
