package io.kvstore.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Judges the comments of a Java source: no notes to self, no code that is switched off. */
final class CommentCheck {
    /** Lines that are statements rather than sentences: a call, an assignment, a jump, the rim of a block. */
    private static final List<Pattern> CODE = List.of(
            Pattern.compile("[\\w.<>\\[\\], ]+(\\(.*\\)|\\s[-+*/|&]?=\\s.+)\\s*;"),
            Pattern.compile("(return|throw|import|package|break|continue)\\b[^,]*;"),
            Pattern.compile("(if|for|while|switch|try|catch|else|do|synchronized)\\b.*\\{"),
            Pattern.compile("(public|private|protected|static|final)\\b.*[;{]"),
            Pattern.compile("@Override|@Test|\\}|\\}\\s*else\\s*\\{"));

    private CommentCheck() {}

    static List<Finding> check(SourceText source) {
        List<Finding> findings = new ArrayList<>();
        for (Comment comment : Comment.of(source.text())) {
            int line = source.lineAt(comment.start());
            if (!comment.isDocumentation() && comment.text().lines().anyMatch(CommentCheck::isCode)) {
                findings.add(source.finding(line, "code in a comment: delete it, the history keeps it"));
            }
        }
        return findings;
    }

    private static boolean isCode(String line) {
        String bare = line.strip()
                .replaceFirst("^(//+|/\\*|\\*)", "")
                .replaceFirst("\\*/$", "")
                .strip();
        return CODE.stream().anyMatch(pattern -> pattern.matcher(bare).matches());
    }
}
