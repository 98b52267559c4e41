package io.kvstore.cli.shell;

import java.util.ArrayList;
import java.util.List;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Reads a line as {@link Words} does. A line whose quotes are open goes on in the next one. */
final class LineParser implements Parser {

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        Words words = Words.of(line);
        if (words.openQuote() != 0 && context != ParseContext.COMPLETE) {
            throw new EOFError(-1, -1, "a quote is not closed");
        }
        return context == ParseContext.COMPLETE ? Typed.upTo(line, cursor) : new Typed(line, cursor, words.words(), "");
    }

    /** No character makes the next one a part of the line but in {@link Words}. */
    @Override
    public boolean isEscapeChar(char c) {
        return false;
    }

    /**
     * The line up to the cursor, with the word at the cursor as it was typed.
     *
     * @param words of the line; the last one is that at the cursor
     * @param word at the cursor, with its quotes and escapes
     */
    record Typed(String line, int cursor, List<String> words, String word) implements CompletingParsedLine {

        static Typed upTo(String line, int cursor) {
            String before = line.substring(0, cursor);
            Words words = Words.of(before);
            boolean isAtNewWord = words.words().isEmpty()
                    || (words.openQuote() == 0 && before.endsWith(" ") && !before.endsWith("\\ "));
            if (isAtNewWord) {
                List<String> all = new ArrayList<>(words.words());
                all.add("");
                return new Typed(line, cursor, List.copyOf(all), "");
            }
            return new Typed(
                    line, cursor, words.words(), before.substring(words.starts().getLast()));
        }

        @Override
        public int wordIndex() {
            return Math.max(0, words.size() - 1);
        }

        @Override
        public int wordCursor() {
            return word.length();
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return word.length();
        }

        @Override
        public int rawWordLength() {
            return word.length();
        }
    }
}
