package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs all scripts of a subject: the files in {@code src/test/resources/scripts/<subject>} of the module. The output of a
 * script stands in its file. {@code -Dkv.rewrite=true} writes the output there that the commands give now, for review.
 */
public abstract class ScriptContract {

    private static final Path SCRIPTS = Path.of("src", "test", "resources", "scripts");

    /** The folder of the scripts. */
    protected abstract String subject();

    /** The commands for one script, which begins anew. They are closed at its end. */
    protected abstract Commands begin() throws IOException;

    /** The commands of a subject, on the classes that are tested. */
    public interface Commands extends Script.Interpreter {}

    @TestFactory
    List<DynamicTest> scripts() throws IOException {
        Path folder =
                Path.of(System.getProperty("basedir", ".")).resolve(SCRIPTS).resolve(subject());
        try (Stream<Path> files = Files.list(folder)) {
            List<DynamicTest> tests = files.sorted()
                    .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> run(file)))
                    .toList();
            assertFalse(tests.isEmpty(), folder + " has no scripts");
            return tests;
        }
    }

    private void run(Path file) throws IOException {
        Path name = SCRIPTS.resolve(subject()).resolve(file.getFileName());
        Script script = new Script(name.toString(), Files.readAllLines(file));
        Script.Outcome outcome;
        try (Commands commands = begin()) {
            outcome = script.run(commands);
        }
        if (Boolean.getBoolean("kv.rewrite")) {
            Files.writeString(file, outcome.text());
            return;
        }
        assertTrue(
                outcome.differences().isEmpty(),
                () -> "\n" + String.join("\n", outcome.differences())
                        + "\nIf this is as it should be, run the test with -Dkv.rewrite=true and review the change.");
    }
}
