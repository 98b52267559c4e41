package io.kvstore.cli.console;

import io.kvstore.engine.Findings;

/** Prints what a check found, a line each. */
public final class FindingLines {

    private FindingLines() {}

    public static void print(Console console, Findings findings) {
        findings.kept().forEach(finding -> console.print(Printable.line(line(finding)) + "\n"));
    }

    private static String line(Findings.Finding finding) {
        String place = finding.offset() < 0 ? finding.file() : finding.file() + " at offset " + finding.offset();
        // what an exception says begins with its place
        return finding.message().startsWith(place) ? finding.message() : place + ": " + finding.message();
    }

    /** How many there are, and how many of them were printed if that is not all. */
    public static String count(Findings findings) {
        long unkept = findings.total() - findings.kept().size();
        return Figures.count(findings.total(), "finding")
                + (unkept > 0 ? ", of which the last " + Figures.count(unkept) + " are not shown" : "");
    }
}
