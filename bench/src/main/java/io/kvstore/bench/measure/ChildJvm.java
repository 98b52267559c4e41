package io.kvstore.bench.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Runs a command of this program in a JVM of the same kind, with a heap of 1 GiB. A collector or a compiler that this JVM was
 * told to use is the child's too: tests of minutes use neither a concurrent collector nor optimized code.
 */
public final class ChildJvm {

    /**
     * The class that runs the commands of this program. It is in a package that this one does not depend on, so its name is
     * text.
     */
    public static final String MAIN_CLASS = "io.kvstore.bench.BenchMain";

    private static final Pattern OF_THIS_KIND = Pattern.compile("-XX:(\\+Use\\w+GC|TieredStopAtLevel=\\d)");

    private ChildJvm() {}

    /** Runs a command, as the other method does, in a JVM that no other command runs. */
    public static void run(Path parent, List<String> flags, List<String> arguments, Consumer<String> watcher)
            throws IOException, InterruptedException {
        run(parent, List.of(), flags, arguments, watcher);
    }

    /**
     * Runs a command in a JVM of its own. The command's last argument is an empty directory below {@code parent}, which is
     * removed afterwards.
     *
     * @param before the command that runs the JVM; empty if none does
     * @param flags options for the JVM
     * @param watcher gets every line that is printed, at once
     * @throws IOException with all lines that were printed, if the command fails
     */
    public static void run(
            Path parent, List<String> before, List<String> flags, List<String> arguments, Consumer<String> watcher)
            throws IOException, InterruptedException {
        try (WorkDirectory directory = WorkDirectory.in(parent)) {
            Path java = Path.of(System.getProperty("java.home"), "bin", "java");
            List<String> command = new ArrayList<>(before);
            command.addAll(List.of(java.toString(), "-Xmx1g", "--enable-native-access=ALL-UNNAMED"));
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                    .filter(OF_THIS_KIND.asMatchPredicate())
                    .forEach(command::add);
            command.addAll(flags);
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN_CLASS));
            command.addAll(arguments);
            command.add(directory.path().toString());
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            // When this JVM ends, the measurement must end too.
            Thread end = new Thread(process::destroy);
            Runtime.getRuntime().addShutdownHook(end);
            List<String> lines = new ArrayList<>();
            try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    lines.add(line);
                    watcher.accept(line);
                }
            } finally {
                process.destroy();
            }
            int status = process.waitFor();
            Runtime.getRuntime().removeShutdownHook(end);
            if (status != 0) {
                throw new IOException(arguments + " failed:\n" + String.join("\n", lines));
            }
        }
    }
}
