package io.kvstore.tidy;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Runs the checks of this package over the whole source tree, all modules and documents. */
final class TidyTest {
    /** A name with two humps at least. */
    private static final Pattern CLASS_NAME = Pattern.compile("\\b[A-Z][a-z]+[A-Z]\\w*");

    private static final Pattern NAMED_CLASS = Pattern.compile("`([A-Z][a-z]+[A-Z]\\w*)[`.#]");

    /** There, names with one hump are classes too. */
    private static final Pattern NAMED_IN_GLOSSARY = Pattern.compile("`([A-Z][a-z]\\w*)[`.#]");

    private static final Set<String> OF_THE_JDK = Set.of("ConcurrentNavigableMap", "StackOverflowError");

    private static final int FEWEST_DOCUMENTS = 15;

    private final List<SourceText> files;

    TidyTest() throws IOException {
        files = Repository.files();
    }

    @Test
    void java_sources_are_tidy() {
        check("java", JavaCheck::check);
    }

    @Test
    void comments_hold_no_code() {
        check("java", CommentCheck::check);
    }

    @Test
    void documents_are_tidy() {
        check("md", source -> MarkdownCheck.check(source, Repository.root()));
    }

    @Test
    void text_is_tidy() {
        check("", TextCheck::check);
    }

    /** Decision records and the change log tell of classes that were. */
    @Test
    void documents_name_classes_that_there_are() {
        Set<String> known = new HashSet<>(OF_THE_JDK);
        for (SourceText file : files) {
            if (file.extension().equals("java")) {
                known.add(file.name().replace(".java", ""));
                known.add(file.name().replace("Exception.java", ""));
            } else if (file.extension().equals("thrift")) {
                CLASS_NAME.matcher(file.text()).results().forEach(found -> known.add(found.group()));
            }
        }
        List<SourceText> present = files.stream()
                .filter(file -> file.path().matches("(docs/(design/)?[\\w-]+|CONTRIBUTING|README)\\.md"))
                .toList();
        assertTrue(present.size() > FEWEST_DOCUMENTS, "only " + present + " were found");
        report(present.stream()
                .flatMap(document -> unknown(document, known).stream())
                .toList());
    }

    private static List<Finding> unknown(SourceText document, Set<String> known) {
        List<Finding> findings = new ArrayList<>();
        Matcher named =
                (document.name().equals("glossary.md") ? NAMED_IN_GLOSSARY : NAMED_CLASS).matcher(document.text());
        while (named.find()) {
            if (!known.contains(named.group(1))) {
                findings.add(document.finding(
                        document.lineAt(named.start()), "there is no class " + named.group(1) + " any more"));
            }
        }
        return findings;
    }

    private void check(String extension, Function<SourceText, List<Finding>> check) {
        List<SourceText> judged = files.stream()
                .filter(file -> extension.isEmpty() || file.extension().equals(extension))
                .toList();
        assertTrue(judged.size() > 5, "the source tree was not found at " + Repository.root());
        List<Finding> findings = new ArrayList<>();
        judged.forEach(file -> findings.addAll(check.apply(file)));
        report(findings);
    }

    private static void report(List<Finding> findings) {
        if (!findings.isEmpty()) {
            fail(findings.stream().map(Finding::toString).collect(Collectors.joining("\n", "\n", "")));
        }
    }
}
