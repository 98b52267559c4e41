package io.kvstore.tidy;

import java.util.ArrayList;
import java.util.List;

/** One comment of a Java source, with its marks. */
record Comment(int start, int end, String text) {
    private static final String TEXT_BLOCK = "\"\"\"";

    boolean isLine() {
        return text.startsWith("//");
    }

    boolean isDocumentation() {
        return text.startsWith("/**") || text.startsWith("///");
    }

    /** All comments of a source, in order. Comment marks inside literals are none. */
    static List<Comment> of(String source) {
        List<Comment> comments = new ArrayList<>();
        int at = 0;
        while (at < source.length()) {
            int end = at + 1;
            if (source.startsWith("//", at)) {
                end = endOf(source, "\n", at, 0);
                comments.add(new Comment(at, end, source.substring(at, end)));
            } else if (source.startsWith("/*", at)) {
                end = endOf(source, "*/", at + 2, 2);
                comments.add(new Comment(at, end, source.substring(at, end)));
            } else if (source.startsWith(TEXT_BLOCK, at)) {
                end = endOfLiteral(source, at, TEXT_BLOCK);
            } else if (source.charAt(at) == '"' || source.charAt(at) == '\'') {
                end = endOfLiteral(source, at, source.substring(at, at + 1));
            }
            at = end;
        }
        return comments;
    }

    private static int endOf(String source, String mark, int from, int included) {
        int found = source.indexOf(mark, from);
        return found < 0 ? source.length() : found + included;
    }

    private static int endOfLiteral(String source, int start, String quote) {
        int at = start + quote.length();
        while (at < source.length() && !source.startsWith(quote, at)) {
            at += source.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(source.length(), at + quote.length());
    }
}
