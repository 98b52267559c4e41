package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What surrounds a store is no input: the locale, the charset, the time zone. For stores on a real disk, with one engine. */
public abstract class EnvironmentContract {

    private static final int MOST_OUTPUT_CHARS = 2_000;

    @TempDir
    private Path temp;

    /** The engine of the tables, with parameters under which little data makes many files. */
    protected abstract StoreScenario.Engine engine();

    /** One process under other defaults takes part, since names may be made once in the life of a process. */
    @Test
    void stores_are_the_same_under_every_locale_charset_and_time_zone() throws Exception {
        EnvironmentProcess.make(temp.resolve("given"), engine());
        assertEquals("", foreign(EnvironmentProcess.LOCALES.getFirst()));
        int rounds = 1 + EnvironmentProcess.LOCALES.size();
        EnvironmentProcess.goOn(temp.resolve("given"), rounds);
        for (String locale : EnvironmentProcess.LOCALES) {
            EnvironmentProcess.goOn(temp.resolve(locale), 2);
        }
    }

    /** What the process had to say; it says nothing when all is well. */
    private String foreign(String locale) throws IOException, InterruptedException {
        String[] parts = locale.split("-", 2);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Duser.language=" + parts[0],
                "-Duser.country=" + parts[1],
                "-Duser.timezone=Asia/Kathmandu",
                "-Dfile.encoding=COMPAT",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                EnvironmentProcess.class.getName(),
                temp.toString(),
                engine().name()));
        engine().parameters().forEach((name, value) -> command.addAll(List.of(name, String.valueOf(value))));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.put("LC_ALL", "C");
        environment.remove("JAVA_TOOL_OPTIONS");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        return status == 0 ? "" : output.substring(0, Math.min(output.length(), MOST_OUTPUT_CHARS));
    }
}
