package io.kvstore.tidy;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Runs the checks of this package over the whole source tree, all modules and documents. */
final class TidyTest {
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
