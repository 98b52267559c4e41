package io.kvstore.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the launcher in a tree of its own, with JDKs and a Maven that only say how they were called. */
final class LauncherTest {
    private static final Path LAUNCHER = Path.of(System.getProperty("basedir", "."), "..", "kvstore");

    /** All that the launcher may ask of a machine beside a JDK and Maven. */
    private static final List<String> TOOLS = List.of(
            "awk",
            "bash",
            "cat",
            "dirname",
            "env",
            "find",
            "flock",
            "grep",
            "head",
            "mkdir",
            "mktemp",
            "mv",
            "readlink",
            "rm",
            "touch");

    @TempDir
    private Path temp;

    private Path root;
    private Path tools;
    private Path jdks;

    @BeforeEach
    void lay_out_a_tree() throws IOException {
        root = Files.createDirectories(temp.resolve("a tree"));
        jdks = Files.createDirectories(temp.resolve("jdks"));
        tools = Files.createDirectories(temp.resolve("tools"));
        Files.copy(LAUNCHER, root.resolve("kvstore"));
        assertTrue(root.resolve("kvstore").toFile().setExecutable(true));
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        Files.createDirectories(root.resolve("kvstore-server/src/main"));
        Files.createFile(Files.createDirectories(root.resolve("thrift")).resolve("kvstore.thrift"));
        for (String tool : TOOLS) {
            for (String folder : List.of("/usr/bin", "/bin", "/opt/homebrew/bin", "/usr/local/bin")) {
                Path real = Path.of(folder, tool);
                if (Files.exists(real)) {
                    script(tools.resolve(tool), "exec " + real + " \"$@\"");
                    break;
                }
            }
        }
    }

    @Test
    void without_a_jdk_25_one_line_says_what_to_install() throws Exception {
        jdk("17", "17.0.15");
        jdk("250", "250");
        Result result = run(Map.of(), "server");
        assertEquals(1, result.status());
        assertEquals(1, result.errors().size(), result::toString);
        assertTrue(result.errors().getFirst().contains("install"), result::toString);
        assertEquals(List.of(), result.output());
    }

    @Test
    void without_maven_one_line_says_what_to_install() throws Exception {
        jdk("25", "25.0.3");
        for (String command : List.of("server", "test")) {
            Result result = run(Map.of(), command);
            assertEquals(1, result.status());
            assertEquals(1, result.errors().size(), result::toString);
            assertTrue(result.errors().getFirst().contains("Maven"), result::toString);
        }
    }

    @Test
    void an_older_java_home_is_ignored() throws Exception {
        Path old = jdk("17", "17.0.15");
        jdk("25", "25.0.3");
        maven("true");
        Result result = run(Map.of("JAVA_HOME", old.toString()), "server");
        assertTrue(result.output().getFirst().startsWith("java 25.0.3"), result::toString);
    }

    @Test
    void a_java_home_of_25_wins_over_the_folders() throws Exception {
        jdk("25", "25.0.3");
        jdks = temp.resolve("others");
        Path mine = jdk("mine", "25");
        jdks = temp.resolve("jdks");
        maven("true");
        Result result = run(Map.of("JAVA_HOME", mine.toString()), "server");
        assertTrue(result.output().getFirst().startsWith("java 25 "), result::toString);
    }

    @Test
    void the_server_is_built_once_and_again_when_a_source_changed() throws Exception {
        jdk("25", "25.0.3");
        maven("echo \"$@\" >>calls");
        Result first = run(Map.of(), "server", "--port", "1", "two words");
        assertEquals(1, first.errors().size(), first::toString);
        assertTrue(first.output().getFirst().endsWith("KVStoreServer|--port|1|two words|"), first::toString);
        assertEquals(List.of(), run(Map.of(), "server").errors());
        assertEquals(1, Files.readAllLines(root.resolve("calls")).size());
        Files.writeString(root.resolve("kvstore-server/src/main/New.java"), "final class New {}");
        run(Map.of(), "server");
        assertEquals(2, Files.readAllLines(root.resolve("calls")).size());
    }

    @Test
    void commands_for_files_are_those_of_the_command_line() throws Exception {
        jdk("25", "25.0.3");
        maven("echo \"$@\" >>calls");
        for (String command : List.of("build", "file")) {
            Result result = run(Map.of(), command, "two words", "--quiet");
            String called = result.output().getFirst();
            assertTrue(called.endsWith("io.kvstore.cli.KVStoreCli|" + command + "|two words|--quiet|"), called);
            // a full heap ends such a command with a message, and no stream of this test is a terminal but perhaps its
            // input
            assertTrue(called.matches(".*\\|-Dkvstore.terminals=(in)?\\|.*") && !called.contains("ExitOnOut"), called);
        }
        List<String> calls = Files.readAllLines(root.resolve("calls"));
        assertEquals(1, calls.size());
        assertTrue(calls.getFirst().contains("-pl kvstore-cli -am package"), calls::toString);
    }

    @Test
    void commands_for_stores_are_those_of_the_command_line() throws Exception {
        jdk("25", "25.0.3");
        maven("true");
        for (String command : List.of("get", "put", "scan", "db", "table", "import", "top", "shell", "version")) {
            String called = run(Map.of(), command, "two words").output().getLast();
            assertTrue(called.endsWith("io.kvstore.cli.KVStoreCli|" + command + "|two words|"), called);
            assertEquals(
                    !List.of("import", "shell").contains(command),
                    called.contains("|-XX:TieredStopAtLevel=1|"),
                    called);
        }
        assertTrue(run(Map.of(), "--version").output().getLast().endsWith("KVStoreCli|version|"));
    }

    /** A JVM without a locale reads ASCII alone. */
    @Test
    void words_are_utf8_where_there_is_no_locale() throws Exception {
        Path home = jdk("25", "25.0.3");
        maven("true");
        script(home.resolve("bin/java"), "echo \"${LC_ALL:-}|${LC_CTYPE:-}\"");
        for (String command : List.of("server", "get")) {
            assertEquals("|C.UTF-8", run(Map.of(), command).output().getLast());
            assertEquals(
                    "|C.UTF-8", run(Map.of("LANG", "POSIX"), command).output().getLast());
            Result all = run(Map.of("LC_ALL", "C", "LC_CTYPE", "de_DE.UTF-8"), command);
            assertEquals("C.UTF-8|de_DE.UTF-8", all.output().getLast());
            assertEquals(
                    "|", run(Map.of("LANG", "en_US.UTF-8"), command).output().getLast());
            assertEquals(
                    "|ja_JP.eucJP",
                    run(Map.of("LC_CTYPE", "ja_JP.eucJP"), command).output().getLast());
        }
    }

    @Test
    void a_cache_of_classes_is_made_once_for_each_build_and_jdk() throws Exception {
        Path home = jdk("25", "25.0.3");
        maven("true");
        String making = "for a; do case $a in -XX:AOTCacheOutput=*) echo x >\"${a#*=}\"; echo made >>'" + root
                + "/makings';; esac; done; printf '%s|' \"$@\"; echo";
        script(home.resolve("bin/java"), making);
        String cache = "|-XX:AOTCache=" + root.resolve("target/kvstore-cli.cache") + "|-Xlog:disable|";
        for (int i = 0; i < 2; i++) {
            String called = run(Map.of(), "count").output().getLast();
            assertTrue(called.contains(cache), called);
        }
        assertEquals(1, makings());
        Files.createDirectories(root.resolve("kvstore-cli/src/main"));
        Files.writeString(root.resolve("kvstore-cli/src/main/New.java"), "final class New {}");
        run(Map.of(), "count");
        assertEquals(2, makings());
        Path other = jdk("other", "25.0.4");
        script(other.resolve("bin/java"), making);
        run(Map.of("JAVA_HOME", other.toString()), "count");
        assertEquals(3, makings());
    }

    @Test
    void a_collector_that_the_environment_names_is_the_only_one() throws Exception {
        jdk("25", "25.0.3");
        for (String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
            maven("echo \"$MAVEN_OPTS\" >options");
            Files.deleteIfExists(root.resolve("target/kvstore-cli.built"));
            String called = run(Map.of(variable, "-Xmx1g -XX:+UseZGC"), "count")
                    .output()
                    .getLast();
            assertFalse(called.contains("GC|"), called);
            String ofMaven = Files.readString(root.resolve("options"));
            assertFalse(ofMaven.contains("GC"), ofMaven);
        }
        assertTrue(run(Map.of("JAVA_TOOL_OPTIONS", "-Xmx1g"), "count")
                .output()
                .getLast()
                .contains("|-XX:+UseSerialGC|"));
    }

    @Test
    void a_tree_that_cannot_be_written_to_is_named() throws Exception {
        jdk("25", "25.0.3");
        Files.createFile(root.resolve("target"));
        Result result = run(Map.of(), "server");
        assertEquals(1, result.status());
        assertEquals(1, result.errors().size(), result::toString);
        assertTrue(result.errors().getFirst().contains("cannot write to '" + root.resolve("target")), result::toString);
    }

    private int makings() throws IOException {
        return Files.readAllLines(root.resolve("makings")).size();
    }

    /** Two programs run before the command: one makes a library ready for the cache, one makes the cache. */
    @ParameterizedTest
    @ValueSource(strings = {"*.CacheableJar", "-XX:AOTCacheOutput=*"})
    void a_cache_that_cannot_be_made_does_no_harm(String failing) throws Exception {
        Path home = jdk("25", "25.0.3");
        maven("true");
        script(home.resolve("bin/java"), """
                for a; do case $a in %s) echo why; exit 1;; esac; done
                for a; do case $a in *.CacheableJar) exit;; -XX:AOTCacheOutput=*) echo x >"${a#*=}"; exit;; esac; done
                printf '%%s|' "$@"; echo""".formatted(failing));
        Result first = run(Map.of(), "count");
        assertEquals(0, first.status(), first::toString);
        assertFalse(first.output().toString().contains("AOTCache"), first::toString);
        assertEquals(
                "why",
                Files.readString(root.resolve("target/kvstore-cli.cache.log")).strip());
        assertEquals(List.of(), run(Map.of(), "count").errors());
        Files.delete(root.resolve("target/kvstore-cli.cache.of"));
        assertEquals(1, run(Map.of(), "count").errors().size());
    }

    @Test
    void a_change_in_a_module_below_another_is_built_too() throws Exception {
        jdk("25", "25.0.3");
        maven("echo \"$@\" >>calls");
        Path codec = Files.createDirectories(root.resolve("kvstore-codecs/zstd/src/main"));
        run(Map.of(), "server");
        Files.writeString(codec.resolve("New.java"), "final class New {}");
        run(Map.of(), "server");
        assertEquals(2, Files.readAllLines(root.resolve("calls")).size());
    }

    @Test
    void a_shell_that_searches_for_directories_changes_nothing() throws Exception {
        jdk("25", "25.0.3");
        maven("true");
        Result result = run(Map.of("CDPATH", temp + ":" + root), "server");
        assertEquals(0, result.status(), result::toString);
        assertTrue(result.output().getFirst().startsWith("java 25.0.3"), result::toString);
    }

    @Test
    void a_path_that_no_class_path_can_hold_is_refused_by_name() throws Exception {
        jdk("25", "25.0.3");
        maven("true");
        Path moved = temp.resolve("a:tree");
        Files.move(root, moved);
        root = moved;
        Result result = run(Map.of(), "server");
        assertEquals(1, result.status());
        assertTrue(result.errors().getFirst().contains("colon"), result::toString);
    }

    @Test
    void a_failed_build_shows_why_and_is_tried_again() throws Exception {
        jdk("25", "25.0.3");
        maven("echo 'this is why'; exit 1");
        for (int i = 0; i < 2; i++) {
            Result result = run(Map.of(), "server");
            assertEquals(1, result.status());
            assertTrue(result.errors().contains("this is why"), result::toString);
            assertEquals(List.of(), result.output());
        }
    }

    @Test
    void the_last_line_of_test_adds_up_the_reports_of_this_run() throws Exception {
        jdk("25", "25.0.3");
        report("kvstore-core/target/surefire-reports/TEST-Stale.xml", 100, 0, 0);
        maven("/bin/cp -R ../reports/* .; exit 1");
        report("../reports/kvstore-core/target/surefire-reports/TEST-A.xml", 5, 1, 2);
        report("../reports/kvstore-server/target/surefire-reports/TEST-B.xml", 7, 0, 1);
        Result result = run(Map.of(), "test");
        assertEquals(1, result.status());
        assertFalse(Files.exists(root.resolve("kvstore-core/target/surefire-reports/TEST-Stale.xml")));
        assertEquals("8 passed, 1 failed, 3 skipped", result.output().getLast());
    }

    @Test
    void an_unknown_command_is_named() throws Exception {
        Result result = run(Map.of(), "serve");
        assertEquals(2, result.status());
        assertTrue(result.errors().getFirst().contains("'serve'"), result::toString);
    }

    private Path jdk(String name, String version) throws IOException {
        Path home = Files.createDirectories(jdks.resolve(name));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"Test\"\nJAVA_VERSION=\"" + version + "\"\n");
        script(home.resolve("bin/java"), "echo -n 'java " + version + " '; printf '%s|' \"$@\"; echo");
        script(home.resolve("bin/javac"), "true");
        return home;
    }

    private void maven(String body) throws IOException {
        script(tools.resolve("mvn"), body);
    }

    private static void script(Path file, String body) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/bash\n" + body + "\n");
        assertTrue(file.toFile().setExecutable(true));
    }

    private void report(String file, int tests, int failures, int skipped) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(
                path,
                "<testsuite name=\"x\" tests=\"" + tests + "\" errors=\"0\" skipped=\"" + skipped + "\" failures=\""
                        + failures + "\">\n</testsuite>\n");
    }

    private Result run(Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(root.resolve("kvstore").toString()));
        command.addAll(List.of(arguments));
        Path output = temp.resolve("output");
        Path errors = temp.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(temp.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        Map<String, String> all = new HashMap<>(environment);
        all.put("PATH", tools.toString());
        all.put("KVSTORE_JDKS", jdks.toString());
        builder.environment().clear();
        builder.environment().putAll(all);
        int status = builder.start().waitFor();
        return new Result(status, Files.readAllLines(output, UTF_8), Files.readAllLines(errors, UTF_8));
    }

    private record Result(int status, List<String> output, List<String> errors) {}
}
