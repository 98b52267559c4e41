package io.kvstore.testkit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A command of a {@link Script}: its name, words, arguments with names, and the lines below it. */
public final class ScriptCommand {

    private final String text;
    private final String name;
    private final List<String> words = new ArrayList<>();
    private final Map<String, String> arguments = new LinkedHashMap<>();
    private final List<String> body;
    private final Set<String> asked = new HashSet<>();

    private ScriptCommand(String text, List<String> body) {
        String[] parts = text.strip().split("\\s+", -1);
        this.text = text;
        this.name = parts[0];
        this.body = List.copyOf(body);
        for (int i = 1; i < parts.length; i++) {
            int sign = parts[i].indexOf('=');
            if (sign > 0) {
                arguments.put(parts[i].substring(0, sign), parts[i].substring(sign + 1));
            } else {
                words.add(parts[i]);
            }
        }
    }

    /** Reads a command that has no lines below it. A line of a body can be read as one. */
    public static ScriptCommand of(String text) {
        return of(text, List.of());
    }

    static ScriptCommand of(String text, List<String> body) {
        return new ScriptCommand(text, body);
    }

    /** The first word. */
    public String name() {
        return name;
    }

    /** The words behind the name that give no argument a value. */
    public List<String> words() {
        asked.add("");
        return List.copyOf(words);
    }

    /** The value of an argument, or another text if it is not given. */
    public String text(String argument, String otherwise) {
        asked.add(argument);
        return arguments.getOrDefault(argument, otherwise);
    }

    /** The value of an argument, or another number if it is not given. */
    public long number(String argument, long otherwise) {
        return Long.parseLong(text(argument, Long.toString(otherwise)));
    }

    /** The lines between the command and its output. */
    public List<String> body() {
        return body;
    }

    /** The exception for a command that the subject does not have. */
    public IllegalArgumentException unknown() {
        return new IllegalArgumentException("there is no command " + name);
    }

    /** Fails if nobody asked for a part of the command, which then would say something without any effect. */
    public void requireAllAsked() {
        Set<String> left = new HashSet<>(arguments.keySet());
        left.removeAll(asked);
        if (!left.isEmpty() || (!words.isEmpty() && !asked.contains(""))) {
            throw new IllegalArgumentException(name + " does not take " + (left.isEmpty() ? words : left));
        }
    }

    /** The command as it was written, without its body. */
    @Override
    public String toString() {
        return text;
    }
}
