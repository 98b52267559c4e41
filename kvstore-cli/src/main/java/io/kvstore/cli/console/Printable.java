package io.kvstore.cli.console;

import java.util.Locale;

/** Text that comes from elsewhere, such as from a file, for a terminal: it cannot move the cursor or change colors. */
public final class Printable {

    private Printable() {}

    /** The text in one line. Control characters are shown as escapes. */
    public static String line(String text) {
        return escaped(text, false);
    }

    /** As {@link #line}, but the text keeps its lines. */
    static String lines(String text) {
        return escaped(text, true);
    }

    private static String escaped(String text, boolean isOfLines) {
        if (text.chars().noneMatch(Character::isISOControl)) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isISOControl(c) || (isOfLines && c == '\n')) {
                shown.append(c);
            } else {
                shown.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return shown.toString();
    }
}
