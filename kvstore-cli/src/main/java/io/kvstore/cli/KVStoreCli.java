package io.kvstore.cli;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Failures;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The command {@code kvstore}, as a process of its own. */
public final class KVStoreCli {

    /** Which of {@code in}, {@code out} and {@code err} are terminals, which the launcher knows and a JVM does not. */
    private static final String TERMINALS = "kvstore.terminals";

    /** How long a command that was asked to end may take for it. */
    private static final long END_SECONDS = 5;

    /** How much longer one may take that undoes its work. */
    private static final long UNDO_SECONDS = 25;

    private KVStoreCli() {}

    /** Runs a command and exits with its status. */
    public static void main(String[] arguments) {
        LogLines.use();
        Console console = new Console(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                terminals(System.getProperty(TERMINALS, "")),
                System::nanoTime);
        CountDownLatch ended = new CountDownLatch(1);
        Thread onSignal = new Thread(() -> end(console, ended), "kvstore-signal");
        Runtime.getRuntime().addShutdownHook(onSignal);
        int status = run(console, arguments);
        ended.countDown();
        System.exit(status);
    }

    private static int run(Console console, String... decoded) {
        String[] words;
        try {
            words = GivenWords.of(decoded, GivenWords.OF_PROCESS);
        } catch (CommandFailure e) {
            return new Failures(console).told(e);
        }
        return Commands.run(console, System.getenv(), words);
    }

    /**
     * Runs when the process ends: at once if its command has ended, and otherwise, which is Ctrl-C or SIGTERM, when the command
     * has brought its files in order, or does not do so in time.
     */
    private static void end(Console console, CountDownLatch ended) {
        if (ended.getCount() == 0) {
            return;
        }
        console.interruption().ask();
        try {
            if (!ended.await(END_SECONDS, TimeUnit.SECONDS)
                    && console.interruption().isUndoing()) {
                boolean _ = ended.await(UNDO_SECONDS, TimeUnit.SECONDS);
            }
            String left = console.interruption().left();
            if (left != null) {
                console.fail(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(ExitStatus.INTERRUPTED);
    }

    private static Terminals terminals(String property) {
        List<String> names = List.of(property.split(",", -1));
        return new Terminals(names.contains("in"), names.contains("out"), names.contains("err"));
    }
}
