package io.kvstore.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checks see what they should and nothing else. */
final class TidyCheckTest {
    private static final String MAIN = "kvstore-core/src/main/java/io/kvstore/A.java";
    private static final String EXAMPLE = "docs/examples/A.java";
    private static final String TEST = "kvstore-core/src/test/java/io/kvstore/ATest.java";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "void a() { System.out.println(); }",
                "void a() { java.lang.System.err.println(); }",
                "void a(Exception e) { e.printStackTrace(); }",
                "void a() { try { b(); } catch (Exception e) {} }",
                "void a() { assert b(); }",
                "void a() throws Exception { Thread.sleep(1); }",
                "void a() { System.exit(1); }",
                "void a(int b, int c, int d, int e, int f, int g) {}",
                "/** Not a reason. */ @SuppressWarnings(\"unchecked\") void a() {}",
                "@SuppressWarnings(\"unchecked\") static final class B {} // A reason",
                "@Disabled void a() {}",
                "record R(int a, int b, int c, int d, int e, int f) { R(int u, int v, int w, int x, int y, int z, int"
                        + " o) {} }",
                "void a( {}",
            })
    void a_bad_member_is_found(String member) {
        assertEquals(1, judge(MAIN, "final class A {\n" + member + "\n}\n").size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "String a() { return \"System.out // return;\"; }",
                "void a() { try { b(); } catch (Exception e) { // nothing was opened\n } }",
                "// the cast is checked above\n@SuppressWarnings(\"unchecked\") void a() {}",
                "@SuppressWarnings(\"unchecked\") // the cast is checked above\n void a() {}",
                "record R(int a, int b, int c, int d, int e, int f) {}",
                "record R(int a, int b, int c, int d, int e, int f) { R { } }",
                "record R(int a, int b, int c, int d, int e, int f) { R(int a, int b, int c, int d, int e, int f) {} }",
                "@Override void a(int b, int c, int d, int e, int f, int g) {}",
            })
    void a_good_member_is_left_alone(String member) {
        assertEquals(List.of(), judge(MAIN, "final class A {\n" + member + "\n}\n"));
    }

    @Test
    void tests_and_programs_may_do_what_libraries_may_not() {
        assertEquals(List.of(), judge(TEST, "final class A { void a() { assert b(); System.exit(1); } }"));
        String prints = "final class A { void a() { System.out.println(); } }";
        assertEquals(List.of(), judge("bench/src/main/java/A.java", prints));
        assertEquals(1, judge("bench/src/test/java/A.java", prints).size());
    }

    @Test
    void an_example_works_under_any_locale() {
        for (String bad : List.of("b().toLowerCase()", "\"b\".getBytes()", "String.format(\"%d\", 1)")) {
            assertEquals(
                    1,
                    judge(EXAMPLE, "final class A { void a() { " + bad + "; } }")
                            .size(),
                    bad);
        }
        for (String good : List.of(
                "b().toLowerCase(Locale.ROOT)", "\"b\".getBytes(UTF_8)", "String.format(Locale.ROOT, \"%d\", 1)")) {
            assertEquals(List.of(), judge(EXAMPLE, "final class A { void a() { " + good + "; } }"), good);
        }
    }

    @Test
    void a_method_of_61_lines_is_too_long() {
        String body = "b();\n".repeat(58);
        assertEquals(List.of(), judge(MAIN, "final class A {\nvoid a() {\n" + body + "}\n}\n"));
        List<Finding> findings = judge(MAIN, "final class A {\n\nvoid a() {\n" + body + "b();\n}\n}\n");
        assertEquals(1, findings.size());
        assertEquals(3, findings.getFirst().line());
    }

    @Test
    void a_file_has_one_type_and_names_its_imports() {
        assertEquals(1, judge(MAIN, "final class A {}\nfinal class B {}\n").size());
        assertEquals(1, judge(MAIN, "import java.util.*;\nfinal class A {}\n").size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "// return x;",
                "// table.put(key, value);",
                "// long x = 3;",
                "// if (x > 3) {",
                "// }",
                "/* foo(); */",
                "/*\n * private int x;\n */",
            })
    void code_in_a_comment_is_found(String comment) {
        SourceText source = new SourceText(MAIN, "final class A {\n" + comment + "\n}\n");
        assertEquals(1, CommentCheck.check(source).size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "// The log is synced first;",
                "// Returns at once (see Recovery); the caller waits.",
                "/** {@code return x;} */",
                "/**\n * table.put(key, value);\n */",
                "String s = \"// return x;\";",
                "char c = '\"'; // not a string",
                "String s = \"\"\"\n// return x;\n\"\"\";",
            })
    void a_sentence_is_not_code(String comment) {
        SourceText source = new SourceText(MAIN, "final class A {\n" + comment + "\n}\n");
        assertEquals(List.of(), CommentCheck.check(source));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/** Who looks at it waits. */",
                "/**\n * Closes it: whoever\n * reads it finds it gone.\n */",
                "// Appends a value; the same.",
                "/** So many of them are kept. */",
            })
    void a_sentence_that_is_read_twice_is_found(String comment) {
        SourceText source = new SourceText(MAIN, "final class A {\n" + comment + "\n}\n");
        assertEquals(1, CommentCheck.check(source).size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/** A thread who looks at it, and those who wait. */",
                "/** Says who has the lock. */",
                "// so much that nothing is left",
            })
    void a_sentence_that_is_read_once_is_none_of_these(String comment) {
        SourceText source = new SourceText(MAIN, "final class A {\n" + comment + "\n}\n");
        assertEquals(List.of(), CommentCheck.check(source));
    }

    @Test
    void text_rules_find_what_they_name() {
        assertEquals(1, text("A.java", "x\n".repeat(500)));
        assertEquals(0, text("A.java", "x\n".repeat(499)));
        assertEquals(1, text("A.java", "x".repeat(129)));
        assertEquals(1, text("a.properties", "gr\u00fcn"));
        assertEquals(0, text("a.md", "gr\u00fcn"));
        assertEquals(1, text("a.sh", "# TO" + "DO later"));
        assertEquals(1, text("a.md", "run /ho" + "me/someone/x"));
        assertEquals(0, text("a.md", "GET /v1/home/x and ~/work/x"));
    }

    @Test
    void a_document_has_one_title_and_live_links() {
        assertEquals(List.of(), markdown("a.md", "# A\n\n```\n# not a title\n```\n[x](https://example.org)\n"));
        assertEquals(1, markdown("a.md", "A\n").size());
        assertEquals(1, markdown("a.md", "# A\n# B\n").size());
        assertEquals(
                1, markdown("docs/a.md", "# A\nsee [b](missing-file.md#part)\n").size());
        assertEquals(List.of(), markdown("docs/a.md", "# A\nsee [b](../pom.xml)\n"));
    }

    @Test
    void a_change_log_has_its_shape() {
        String good = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n## [0.1.0] - 2026-01-02\n";
        assertEquals(List.of(), markdown("CHANGELOG.md", good));
        for (String bad : List.of(
                "# Changelog\n",
                good.replace("[Unreleased]", "Next"),
                good.replace("### Added", "### News"),
                good.replace(" - 2026-01-02", ""))) {
            assertEquals(1, markdown("CHANGELOG.md", bad).size(), bad);
        }
    }

    @Test
    void a_decision_has_its_shape() {
        String good = "# 2. Use bytes\n\nStatus: accepted\nDate: 2026-01-02\n";
        assertEquals(List.of(), markdown("docs/adr/0002-use-bytes.md", good));
        assertEquals(1, markdown("docs/adr/0003-use-bytes.md", good).size());
        assertEquals(1, markdown("docs/adr/two.md", good).size());
        assertTrue(markdown("docs/adr/0002-use-bytes.md", good.replace("Status", "State"))
                .toString()
                .contains("Status:"));
    }

    private static List<Finding> judge(String path, String text) {
        return JavaCheck.check(new SourceText(path, text));
    }

    private static int text(String path, String text) {
        return TextCheck.check(new SourceText(path, text)).size();
    }

    private static List<Finding> markdown(String path, String text) {
        return MarkdownCheck.check(new SourceText(path, text), Repository.root());
    }
}
