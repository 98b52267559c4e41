package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.function.LongSupplier;

/** A command that was run in this process. */
record CommandRun(int status, byte[] output, String errors) {

    static final Terminals NONE = new Terminals(false, false, false);

    /** Runs a command without input. */
    static CommandRun of(String... arguments) {
        return with("", arguments);
    }

    /** Runs a command with a text on its standard input. */
    static CommandRun with(String input, String... arguments) {
        return with(input.getBytes(UTF_8), arguments);
    }

    static CommandRun with(byte[] input, String... arguments) {
        return run(new ByteArrayInputStream(input), NONE, System::nanoTime, arguments);
    }

    static CommandRun run(InputStream input, Terminals terminals, LongSupplier nanos, String... arguments) {
        return in(Map.of(), new Streams(input, terminals, nanos), arguments);
    }

    /** What a command has beside its arguments. */
    record Streams(InputStream input, Terminals terminals, LongSupplier nanos) {
        static Streams of(byte[] input) {
            return new Streams(new ByteArrayInputStream(input), NONE, System::nanoTime);
        }

        /** All streams are those of a terminal. */
        static Streams typed(String input) {
            return new Streams(
                    new ByteArrayInputStream(input.getBytes(UTF_8)), new Terminals(true, true, true), System::nanoTime);
        }
    }

    /** Runs a command with variables of the environment. */
    static CommandRun in(Map<String, String> environment, Streams streams, String... arguments) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console console = new Console(streams.input(), output, errors, streams.terminals(), streams.nanos());
        int status = Commands.run(console, environment, arguments);
        return new CommandRun(status, output.toByteArray(), errors.toString(UTF_8));
    }

    /** Runs a command whose standard output goes elsewhere. */
    static CommandRun into(OutputStream output, String... arguments) {
        return into(output, Map.of(), arguments);
    }

    /** Runs a command with variables, whose standard output goes elsewhere. */
    static CommandRun into(OutputStream output, Map<String, String> environment, String... arguments) {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console console = new Console(InputStream.nullInputStream(), output, errors, NONE, System::nanoTime);
        return new CommandRun(Commands.run(console, environment, arguments), new byte[0], errors.toString(UTF_8));
    }

    String text() {
        return new String(output, UTF_8);
    }

    /** Requires that all went well; returns what was printed. */
    String good() {
        assertEquals(0, status, errors);
        return text();
    }

    /** Requires a failure that is told in one line; returns that line without the name of the program. */
    String failed(int expected) {
        assertEquals(expected, status, errors);
        assertFalse(errors.contains("\tat ") || errors.contains("Exception"), errors);
        assertTrue(errors.startsWith("kvstore: ") && errors.strip().lines().count() == 1, errors);
        return errors.strip().substring("kvstore: ".length());
    }
}
