package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the transcript of a counter in the README of the clients, with another port. The Python client's own test runs the part
 * in Python.
 */
final class TranscriptTest {

    private static final String PROMPT = "$ ";

    @TempDir
    private Path temp;

    private record Step(String command, List<String> output) {}

    @Test
    void the_commands_of_the_counter_print_what_is_written() throws Exception {
        ServerProcess.Ready ready = ServerProcess.start(temp.resolve("data"), temp.resolve("errors"));
        try (ServerProcess _ = ready.process()) {
            List<Step> steps = steps();
            assertTrue(steps.stream().anyMatch(step -> step.command().contains(":add")), steps::toString);
            for (Step step : steps) {
                String command = step.command().replace("localhost:8080", "localhost:" + ready.port());
                Process process = new ProcessBuilder("bash", "-c", command)
                        .redirectErrorStream(true)
                        .start();
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertEquals(0, process.waitFor(), said);
                assertEquals(String.join("\n", step.output()), said.strip(), step.command());
            }
        }
    }

    private static List<Step> steps() throws Exception {
        Path readme = ClientContract.ROOT.resolve("kvstore-clients/README.md");
        Matcher block = Pattern.compile("^```console\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(readme));
        List<Step> steps = new ArrayList<>();
        while (block.find()) {
            for (String line : block.group(1).lines().toList()) {
                if (line.startsWith(PROMPT)) {
                    steps.add(new Step(line.substring(PROMPT.length()), new ArrayList<>()));
                } else {
                    steps.getLast().output().add(line);
                }
            }
        }
        return steps;
    }
}
