package io.kvstore.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Judges the comments of a Java source: no code that is switched off, and in main code no sentence of the kinds that have to be
 * read twice.
 */
final class CommentCheck {
    /** Lines that are statements rather than sentences: a call, an assignment, a jump, the rim of a block. */
    private static final List<Pattern> CODE = List.of(
            Pattern.compile("[\\w.<>\\[\\], ]+(\\(.*\\)|\\s[-+*/|&]?=\\s.+)\\s*;"),
            Pattern.compile("(return|throw|import|package|break|continue)\\b[^,]*;"),
            Pattern.compile("(if|for|while|switch|try|catch|else|do|synchronized)\\b.*\\{"),
            Pattern.compile("(public|private|protected|static|final)\\b.*[;{]"),
            Pattern.compile("@Override|@Test|\\}|\\}\\s*else\\s*\\{"));

    /** Sentences that have to be read twice, and the remedy. */
    private static final Map<Pattern, String> READ_TWICE = Map.of(
            Pattern.compile("(^|[.;:,(] )[Ww]ho(ever)? [a-z]+"),
            "a relative clause without a noun: say \"a thread that\" or \"a caller that\"",
            Pattern.compile("; the same\\."),
            "\"the same\" is no contract: say what it does",
            Pattern.compile("\\b[Ss]o (much|many) (of|is|was|may|are|were)\\b"),
            "\"so much\" is no quantity: name it");

    private CommentCheck() {}

    static List<Finding> check(SourceText source) {
        List<Finding> findings = new ArrayList<>();
        for (Comment comment : Comment.of(source.text())) {
            int line = source.lineAt(comment.start());
            if (!comment.isDocumentation() && comment.text().lines().anyMatch(CommentCheck::isCode)) {
                findings.add(source.finding(line, "code in a comment: delete it, the history keeps it"));
            }
            if (source.path().contains("src/main/")) {
                String sentences = sentencesOf(comment);
                READ_TWICE.forEach((pattern, remedy) -> {
                    if (pattern.matcher(sentences).find()) {
                        findings.add(source.finding(line, remedy));
                    }
                });
            }
        }
        return findings;
    }

    /** The text of a comment in one line, without its marks. */
    private static String sentencesOf(Comment comment) {
        return comment.text()
                .replaceAll("\\s*\n\\s*\\*?\\s*", " ")
                .replaceFirst("^(/\\*+|//+)\\s*", "")
                .replaceAll("<[^>]*>", "");
    }

    private static boolean isCode(String line) {
        String bare = line.strip()
                .replaceFirst("^(//+|/\\*|\\*)", "")
                .replaceFirst("\\*/$", "")
                .strip();
        return CODE.stream().anyMatch(pattern -> pattern.matcher(bare).matches());
    }
}
