package io.kvstore;

import io.kvstore.error.InvalidRequestException;
import java.util.regex.Pattern;

/** The rule for names of databases and tables. The names never become part of a file's path. */
final class Names {

    private static final Pattern LEGAL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");

    private Names() {}

    static String check(String what, String name) {
        if (name == null || !LEGAL.matcher(name).matches()) {
            throw new InvalidRequestException("the " + what + " name " + (name == null ? "is null" : display(name))
                    + "; give 1 to 64 of the characters A-Z a-z 0-9 _ . - and begin with a letter or digit");
        }
        return name;
    }

    private static String display(String name) {
        String shown = name.length() <= 80 ? name : name.substring(0, 80) + "...";
        return "is \"" + shown.replaceAll("[^\\x20-\\x7e]", "?") + "\" (" + name.length() + " characters)";
    }
}
