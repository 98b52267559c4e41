package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A script names each output that is not the expected one, and a rewriting puts it into the file. */
final class ScriptTest {

    private static final String TEXT = """
            # Counts.

            count a b by=2
            ----
            2

            # says the lines below
            say
            one
            two
            ----
            one
            zwei
            three
            """;

    private static Script.Outcome run(String text) {
        return new Script("some.txt", text.lines().toList()).run(ScriptTest::run);
    }

    private static String run(ScriptCommand command) {
        return switch (command.name()) {
            case "count" -> Long.toString(command.words().size() * command.number("by", 1));
            case "say" -> String.join("\n", command.body());
            default -> throw command.unknown();
        };
    }

    @Test
    void a_difference_names_file_and_line_and_is_rewritten() {
        Script.Outcome outcome = run(TEXT);
        assertEquals(
                List.of(
                        "some.txt:5: count a b by=2\n  expected: 2\n  actual:   4",
                        "some.txt:13: say\n  expected: zwei\n  expected: three\n  actual:   two"),
                outcome.differences());
        String rewritten = TEXT.replace("\n2\n", "\n4\n").replace("zwei\nthree", "two");
        assertEquals(rewritten, outcome.text());
        assertEquals(List.of(), run(rewritten).differences());
        assertEquals(rewritten, run(rewritten).text());
    }

    @Test
    void a_script_that_says_less_than_it_seems_to_is_refused() {
        assertRefused("# A.\n\ncount a to=3\n----\n1\n", "some.txt:3: count a to=3 failed");
        assertRefused("# A.\n\nsay a\nb\n----\nb\n", "say does not take [a]");
        assertRefused("# A.\n\nsay\none\n\ntwo\n----\n", "an empty line ends the output");
        assertRefused("# A.\n\nwrong\n----\n", "there is no command wrong");
        assertRefused("# A.\n\nsay\nno rule\n", "some.txt:3: a command and ---- are missing");
        assertRefused("# A.\n", "a script has commands");
        assertRefused("say\n----\n", "says first which behaviour it shows");
    }

    private static void assertRefused(String text, String message) {
        Throwable refused = assertThrows(Throwable.class, () -> run(text));
        assertTrue(String.valueOf(refused.getMessage()).contains(message), refused::toString);
    }
}
