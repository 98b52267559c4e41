package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.data.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process whose heap is full now and then, because of what other threads have: {@link FullHeapProcess}. Unlike {@link
 * ErrorContract} it meets the Errors where the virtual machine throws them, with one engine.
 */
public abstract class FullHeapContract {

    private static final int MOST_OUTPUT_CHARS = 60_000;

    @TempDir
    private Path temp;

    /** The engine of the tables, with parameters under which little data makes many files. */
    protected abstract StoreScenario.Engine engine();

    @ParameterizedTest
    @EnumSource(Durability.class)
    void a_heap_that_is_full_for_a_while_strands_nobody(Durability durability) throws Exception {
        assertEquals("", outputOf(durability));
    }

    /** What the process had to say when it failed, with what its threads were doing. */
    private String outputOf(Durability durability) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                FullHeapProcess.class.getName(),
                temp.toString(),
                durability.name(),
                engine().name()));
        engine().parameters().forEach((name, value) -> command.addAll(List.of(name, String.valueOf(value))));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        return status == 0 ? "" : output.substring(0, Math.min(output.length(), MOST_OUTPUT_CHARS));
    }
}
