package io.kvstore.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A text file of commands and the output that each should give, after the data-driven tests of Pebble:
 *
 * <pre>
 * # the behaviour that a reader should see
 * command word argument=value
 * lines of the body
 * ----
 * the output, up to an empty line
 * </pre>
 */
final class Script {

    private static final String RULE = "----";
    private static final String COMMENT = "#";

    private final String name;
    private final List<Block> blocks = new ArrayList<>();

    /** Comments and empty lines behind the last block. */
    private final List<String> rest;

    /** Runs the commands of a script. */
    interface Interpreter extends AutoCloseable {
        /** Runs a command. Returns its output: lines, none of them empty. */
        String run(ScriptCommand command) throws IOException;

        @Override
        default void close() throws IOException {
            // most have nothing open
        }
    }

    /**
     * A command and its output.
     *
     * @param lines all lines up to the rule, as they are in the file
     * @param commandLine the number of the line with the command, from 1
     * @param outputLine the number of the first line of the output
     */
    private record Block(
            List<String> lines, int commandLine, int outputLine, ScriptCommand command, List<String> expected) {}

    /**
     * The result of a run.
     *
     * @param text the script with the output that the commands gave
     * @param differences a message for each command whose output is not the expected one
     */
    record Outcome(String text, List<String> differences) {}

    /** @param name of the file, for messages */
    Script(String name, List<String> lines) {
        this.name = name;
        int at = 0;
        int end = blockBegin(lines, at);
        while (end < lines.size()) {
            at = addBlock(lines, at, end);
            end = blockBegin(lines, at);
        }
        this.rest = lines.subList(at, lines.size());
        if (blocks.isEmpty() || !lines.getFirst().startsWith(COMMENT)) {
            throw new IllegalArgumentException(
                    name + ": a script has commands, and says first which behaviour it shows");
        }
    }

    /** The first line from {@code from} on that is neither empty nor a comment. */
    private static int blockBegin(List<String> lines, int from) {
        int at = from;
        while (at < lines.size() && (lines.get(at).isBlank() || lines.get(at).startsWith(COMMENT))) {
            at++;
        }
        return at;
    }

    private int addBlock(List<String> lines, int from, int begin) {
        int rule = begin;
        while (rule < lines.size() && !lines.get(rule).equals(RULE)) {
            rule++;
        }
        if (rule == lines.size() || rule == begin) {
            throw new IllegalArgumentException(name + ":" + (begin + 1) + ": a command and " + RULE + " are missing");
        }
        int end = rule + 1;
        while (end < lines.size() && !lines.get(end).isBlank()) {
            end++;
        }
        ScriptCommand command = ScriptCommand.of(lines.get(begin), lines.subList(begin + 1, rule));
        blocks.add(
                new Block(lines.subList(from, rule + 1), begin + 1, rule + 2, command, lines.subList(rule + 1, end)));
        return end;
    }

    /** Runs all commands. */
    Outcome run(Interpreter interpreter) {
        List<String> text = new ArrayList<>();
        List<String> differences = new ArrayList<>();
        for (Block block : blocks) {
            List<String> actual = run(interpreter, block);
            text.addAll(block.lines);
            text.addAll(actual);
            if (!actual.equals(block.expected)) {
                differences.add(difference(block, actual));
            }
        }
        text.addAll(rest);
        return new Outcome(String.join("\n", text).stripTrailing() + "\n", differences);
    }

    private List<String> run(Interpreter interpreter, Block block) {
        try {
            List<String> output = interpreter.run(block.command).lines().toList();
            block.command.requireAllAsked();
            if (output.stream().anyMatch(String::isBlank)) {
                throw new IllegalArgumentException("an empty line ends the output, so the output can have none");
            }
            return output;
        } catch (IOException | RuntimeException | Error e) {
            throw new AssertionError(name + ":" + block.commandLine + ": " + block.command + " failed: " + e, e);
        }
    }

    /** Names the first line that differs, and shows the lines from there to the last one that differs. */
    private String difference(Block block, List<String> actual) {
        List<String> expected = block.expected;
        int shorter = Math.min(expected.size(), actual.size());
        int same = 0;
        while (same < shorter && expected.get(same).equals(actual.get(same))) {
            same++;
        }
        int sameEnd = 0;
        while (sameEnd < shorter - same
                && expected.get(expected.size() - 1 - sameEnd).equals(actual.get(actual.size() - 1 - sameEnd))) {
            sameEnd++;
        }
        StringBuilder text = new StringBuilder();
        text.append(name)
                .append(':')
                .append(block.outputLine + same)
                .append(": ")
                .append(block.command);
        for (String line : expected.subList(same, expected.size() - sameEnd)) {
            text.append("\n  expected: ").append(line);
        }
        for (String line : actual.subList(same, actual.size() - sameEnd)) {
            text.append("\n  actual:   ").append(line);
        }
        return text.toString();
    }
}
