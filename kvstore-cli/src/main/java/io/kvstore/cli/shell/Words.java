package io.kvstore.cli.shell;

import java.util.ArrayList;
import java.util.List;

/**
 * The words of a line. Blanks separate them, unless a backslash stands before a blank, or quotes stand around it. In double
 * quotes, and without quotes, a backslash also takes the meaning of a quote away, or begins an escape. An escape is left as it
 * is, because only words that stand for bytes have escapes. In single quotes a backslash is one, so it is doubled here. A line
 * that begins with # is a comment, and has no words.
 *
 * @param words the words, without quotes
 * @param starts where each word begins in the line
 * @param openQuote the quote that was not closed, or 0
 */
record Words(List<String> words, List<Integer> starts, char openQuote) {

    static Words of(String line) {
        return new Reading(line).read();
    }

    /** The lines of a text that came as a whole, such as one that was pasted. A newline in quotes is a part of its line. */
    static List<String> lines(String text) {
        Reading reading = new Reading(text);
        Words _ = reading.read();
        List<String> lines = new ArrayList<>();
        int start = 0;
        for (int end : reading.ends) {
            lines.add(text.substring(start, end));
            start = end + 1;
        }
        lines.add(text.substring(start));
        return lines;
    }

    /** Reads one line. */
    private static final class Reading {

        private final String line;
        private final List<String> words = new ArrayList<>();
        private final List<Integer> starts = new ArrayList<>();
        private final StringBuilder word = new StringBuilder();
        private final List<Integer> ends = new ArrayList<>();
        private boolean isInWord;
        private boolean isAtBegin = true;
        private char quote;

        Reading(String line) {
            this.line = line;
        }

        Words read() {
            for (int i = 0; i < line.length(); i++) {
                char c = line.charAt(i);
                if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
                    end();
                    endLine(c, i);
                    continue;
                }
                if (isAtBegin && c == '#') {
                    int end = line.indexOf('\n', i);
                    i = (end < 0 ? line.length() : end) - 1;
                    continue;
                }
                isAtBegin = false;
                if (!isInWord) {
                    isInWord = true;
                    starts.add(i);
                }
                i += take(c, i);
            }
            end();
            return new Words(List.copyOf(words), List.copyOf(starts), quote);
        }

        private void endLine(char c, int at) {
            if (c == '\n') {
                ends.add(at);
                isAtBegin = true;
            }
        }

        /** Takes a character; returns how many more it has taken. */
        private int take(char c, int at) {
            if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (c == quote) {
                quote = 0;
            } else if (c == '\\' && quote == '\'') {
                word.append("\\\\");
            } else if (c == '\\' && at + 1 < line.length()) {
                char next = line.charAt(at + 1);
                if (next != ' ' && next != '"' && next != '\'') {
                    word.append(c);
                }
                word.append(next);
                return 1;
            } else {
                word.append(c);
            }
            return 0;
        }

        private void end() {
            if (isInWord) {
                words.add(word.toString());
                word.setLength(0);
                isInWord = false;
            }
        }
    }
}
