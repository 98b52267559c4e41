package io.kvstore.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Judges any text file: its length, its letters, and that it speaks neither of one machine nor of later. */
final class TextCheck {
    private static final int LINES = 500;
    private static final int COLUMNS = 128;
    private static final Pattern NOTE_TO_SELF = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern MACHINE_PATH = Pattern.compile("(?<![\\w.~}])/(home|root|work|Users)/\\w");

    private TextCheck() {}

    static List<Finding> check(SourceText source) {
        List<Finding> findings = new ArrayList<>();
        List<String> lines = source.lines();
        boolean java = source.extension().equals("java");
        if ((java || source.extension().equals("md")) && lines.size() >= LINES) {
            findings.add(source.finding(lines.size(), "a file stays under " + LINES + " lines: split it by subject"));
        }
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (java && line.length() > COLUMNS) {
                findings.add(source.finding(i + 1, "a line has at most " + COLUMNS + " columns"));
            }
            if (!source.extension().equals("md") && !line.chars().allMatch(c -> c < 128)) {
                findings.add(source.finding(i + 1, "a letter outside ASCII: write it as an escape or in words"));
            }
            if (NOTE_TO_SELF.matcher(line).find()) {
                findings.add(
                        source.finding(i + 1, "a note to self: do it, or say in the documentation what is missing"));
            }
            if (MACHINE_PATH.matcher(line).find()) {
                findings.add(source.finding(i + 1, "a path of one machine: make it relative or an option"));
            }
        }
        return findings;
    }
}
