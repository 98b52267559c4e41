package io.kvstore.tidy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Judges a markdown document: one title, links that lead somewhere, and the shape of change log and decisions. */
final class MarkdownCheck {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(#[^)]*)?\\)");
    private static final Pattern RELEASE = Pattern.compile("## \\[(Unreleased|\\d+\\.\\d+\\.\\d+)](.*)");
    private static final Pattern DATE = Pattern.compile(" - \\d{4}-\\d{2}-\\d{2}");
    private static final Pattern DECISION = Pattern.compile("\\d{4}-[a-z0-9-]+\\.md");
    private static final Set<String> KINDS = Set.of("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security");

    private final SourceText source;
    private final List<Finding> findings = new ArrayList<>();

    private MarkdownCheck(SourceText source) {
        this.source = source;
    }

    /** @param root the root of the repository, where links are looked up */
    static List<Finding> check(SourceText source, Path root) {
        MarkdownCheck check = new MarkdownCheck(source);
        List<String> lines = check.withoutFences();
        check.title(lines);
        check.links(lines, root);
        if (source.name().equals("CHANGELOG.md")) {
            check.changeLog(lines);
        }
        if (source.path().startsWith("docs/adr/")) {
            check.decision(lines);
        }
        return check.findings;
    }

    /** The lines, those of code blocks emptied. */
    private List<String> withoutFences() {
        List<String> lines = new ArrayList<>();
        boolean fenced = false;
        for (String line : source.lines()) {
            boolean fence = line.strip().startsWith("```");
            lines.add(fenced || fence ? "" : line);
            fenced ^= fence;
        }
        return lines;
    }

    private void title(List<String> lines) {
        if (lines.isEmpty() || !lines.getFirst().startsWith("# ")) {
            report(1, "a document begins with its title: # Title");
        }
        for (int i = 1; i < lines.size(); i++) {
            if (lines.get(i).startsWith("# ")) {
                report(i + 1, "a second title: make it a section (##) or a document of its own");
            }
        }
    }

    private void links(List<String> lines, Path root) {
        Path document = root.resolve(source.path());
        for (int i = 0; i < lines.size(); i++) {
            Matcher link = LINK.matcher(lines.get(i));
            while (link.find()) {
                String target = link.group(1);
                if (!target.contains("://")
                        && !target.startsWith("mailto:")
                        && !Files.exists(document.resolveSibling(target).normalize())) {
                    report(i + 1, "the link " + target + " leads nowhere");
                }
            }
        }
    }

    private void changeLog(List<String> lines) {
        boolean released = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("## ")) {
                Matcher release = RELEASE.matcher(line);
                boolean first = !released;
                released = true;
                if (!release.matches()) {
                    report(i + 1, "a section of the change log is [Unreleased] or [1.2.3] - 2006-01-02");
                } else if (first != release.group(1).equals("Unreleased")) {
                    report(i + 1, "the change log begins with [Unreleased], and has it once");
                } else if (!first && !DATE.matcher(release.group(2)).matches()) {
                    report(i + 1, "a release has its date: [1.2.3] - 2006-01-02");
                }
            } else if (line.startsWith("### ") && !KINDS.contains(line.substring(4))) {
                report(i + 1, "a change is one of " + KINDS.stream().sorted().toList());
            }
        }
        if (!released) {
            report(1, "the change log begins with [Unreleased]");
        }
    }

    private void decision(List<String> lines) {
        if (!DECISION.matcher(source.name()).matches()) {
            report(1, "a decision is named 0001-what-was-decided.md");
            return;
        }
        int number = Integer.parseInt(source.name().substring(0, 4));
        if (!lines.isEmpty() && !lines.getFirst().startsWith("# " + number + ". ")) {
            report(1, "the title of this decision begins with # " + number + ".");
        }
        for (String needed : List.of("Status: ", "Date: ")) {
            if (lines.stream().noneMatch(line -> line.startsWith(needed))) {
                report(1, "a decision has a line " + needed.strip());
            }
        }
    }

    private void report(int line, String message) {
        findings.add(source.finding(line, message));
    }
}
