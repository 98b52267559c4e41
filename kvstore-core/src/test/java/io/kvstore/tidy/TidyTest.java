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

    /** Decision records and the change log tell of classes that were; errors of the JDK are in no source here. */
    @Test
    void documents_name_classes_that_there_are() {
        Set<String> known = new HashSet<>();
        for (SourceText file : files) {
            if (file.extension().equals("java")) {
                known.add(file.name().replace(".java", ""));
                known.add(file.name().replace("Exception.java", ""));
            } else if (file.extension().equals("thrift")) {
                CLASS_NAME.matcher(file.text()).results().forEach(found -> known.add(found.group()));
            }
        }
        check(
                "md",
                source -> source.path().matches("docs/(design/)?[\\w-]+\\.md") ? unknown(source, known) : List.of());
    }

    private static List<Finding> unknown(SourceText document, Set<String> known) {
        List<Finding> findings = new ArrayList<>();
        Matcher named = NAMED_CLASS.matcher(document.text());
        while (named.find()) {
            if (!known.contains(named.group(1)) && !named.group(1).endsWith("Error")) {
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
        if (!findings.isEmpty()) {
            fail(findings.stream().map(Finding::toString).collect(Collectors.joining("\n", "\n", "")));
        }
    }
}
