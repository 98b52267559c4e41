package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a command works if no option says it: variables and profiles; and tokens. */
final class SettingsTest {

    @TempDir
    private Path home;

    private Path config = Path.of("");

    @BeforeEach
    void make_stores() throws IOException {
        config = Files.createDirectories(home.resolve(".config/kvstore")).resolve("config.toml");
        for (String name : new String[] {"one", "two"}) {
            run(Map.of(), "db", "create", name, "--url", home.resolve(name).toString())
                    .good();
            run(
                            Map.of(),
                            "table",
                            "create",
                            name + "/t",
                            "--url",
                            home.resolve(name).toString())
                    .good();
        }
    }

    private CommandRun run(Map<String, String> variables, String... arguments) {
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("HOME", home.toString());
        return CommandRun.in(environment, Streams.of(new byte[0]), arguments);
    }

    private void profiles(String text) throws IOException {
        Files.writeString(config, text.replace("HOME", home.toString()));
    }

    @Test
    void options_win_over_variables_and_those_over_profiles() throws IOException {
        profiles("""
                [default]
                url = "HOME/one"
                table = "one/t"

                [other]
                url = 'HOME/two'
                table = "two/t"
                """);
        String missing = run(Map.of(), "get", "k", "--profile=other").failed(ExitStatus.NOT_FOUND);
        assertEquals("two/t has no key \"k\"", missing);
        assertEquals("one\n", run(Map.of(), "db", "list").good());
        assertEquals("0\n", run(Map.of(), "count").good());
        assertEquals("two\n", run(Map.of(), "db", "list", "--profile", "other").good());
        assertEquals(
                "two\n", run(Map.of("KVSTORE_PROFILE", "other"), "db", "list").good());
        String two = home.resolve("two").toString();
        assertEquals("two\n", run(Map.of("KVSTORE_URL", two), "db", "list").good());
        assertEquals(
                "one\n",
                run(Map.of("KVSTORE_URL", two), "db", "list", "--profile=default")
                        .good());
        String one = home.resolve("one").toString();
        assertEquals(
                "one\n",
                run(Map.of("KVSTORE_URL", two), "db", "list", "--url", one).good());
    }

    @Test
    void mistakes_of_the_file_are_named() throws IOException {
        assertTrue(run(Map.of(), "db", "list", "--profile=p")
                .failed(ExitStatus.NOT_FOUND)
                .contains("which is not there"));
        profiles("[p]\nurl = \"HOME/one\"\n");
        assertTrue(run(Map.of(), "db", "list", "--profile=q")
                .failed(ExitStatus.NOT_FOUND)
                .contains("no profile q; there are [p]"));
        profiles("[p]\nurl = nonsense\n");
        assertTrue(run(Map.of(), "db", "list", "--profile=p")
                .failed(ExitStatus.ERROR)
                .contains("line 2: this is no TOML"));
        profiles("[p]\nurl = \"HOME/one\"\ntoken = \"secret\"\n");
        String line = run(Map.of(), "db", "list", "--profile=p").failed(ExitStatus.USAGE);
        assertTrue(line.contains("has token; it may have") && !line.contains("secret"), line);
        profiles("[p]\nurl = 7\n");
        run(Map.of(), "db", "list", "--profile=p").failed(ExitStatus.USAGE);
        profiles("p = 7\n");
        run(Map.of(), "db", "list", "--profile=p").failed(ExitStatus.NOT_FOUND);
        profiles("[p]\nurl = \"gopher://x\"\n");
        assertTrue(run(Map.of(), "db", "list", "--profile=p")
                .failed(ExitStatus.USAGE)
                .contains("profile p: \"gopher\""));
    }

    @Test
    void a_token_comes_from_a_variable_or_a_file() throws Exception {
        Path tokens = home.resolve("tokens");
        try (TestServer server = TestServer.start("--in-memory", "--create-token-file", "--token-file=" + tokens)) {
            String token = Files.readAllLines(tokens).getFirst();
            String http = server.httpUrl();
            assertEquals(
                    "",
                    run(Map.of("KVSTORE_URL", http, "KVSTORE_TOKEN", token), "db", "list")
                            .good());
            String without = run(Map.of("KVSTORE_URL", http), "db", "list").failed(ExitStatus.ERROR);
            assertTrue(without.contains("give the token in KVSTORE_TOKEN"), without);
            Map<String, String> bad = Map.of("KVSTORE_URL", http, "KVSTORE_TOKEN", "no\u0001token");
            String unsent = run(bad, "db", "list").failed(ExitStatus.USAGE);
            assertTrue(!unsent.contains("token\u0001"), unsent);
            Map<String, String> url = Map.of("KVSTORE_URL", server.url());
            String line = run(url, "db", "list").failed(ExitStatus.ERROR);
            assertTrue(line.contains("give the token in KVSTORE_TOKEN"), line);
            String wrong = run(Map.of("KVSTORE_URL", server.url(), "KVSTORE_TOKEN", "wrong-token"), "db", "list")
                    .failed(ExitStatus.ERROR);
            assertTrue(!wrong.contains("wrong-token"), wrong);
            assertEquals(
                    "",
                    run(Map.of("KVSTORE_URL", server.url(), "KVSTORE_TOKEN", token), "db", "list")
                            .good());
            assertEquals(
                    "",
                    run(url, "db", "list", "--token-file", tokens.toString()).good());
            profiles("[default]\nurl = \"" + server.url() + "\"\ntoken_file = \"../../tokens\"\n");
            assertEquals("", run(Map.of(), "db", "list").good());
        }
    }

    @Test
    void a_shell_does_not_begin_with_a_wrong_token() throws Exception {
        Path tokens = home.resolve("tokens");
        try (TestServer server = TestServer.start("--in-memory", "--create-token-file", "--token-file=" + tokens)) {
            for (String url : List.of(server.url(), server.httpUrl())) {
                String line = run(Map.of("KVSTORE_URL", url, "KVSTORE_TOKEN", "wrong-token"), "shell")
                        .failed(ExitStatus.ERROR);
                assertTrue(line.contains("give the token in KVSTORE_TOKEN"), line);
                run(Map.of("KVSTORE_URL", url), "shell", "--token-file", tokens.toString())
                        .good();
            }
        }
    }

    @Test
    void the_token_of_a_profile_is_not_for_another_server() throws Exception {
        Path tokens = home.resolve("tokens");
        try (TestServer server = TestServer.start("--in-memory", "--create-token-file", "--token-file=" + tokens)) {
            profiles("""
                    [default]
                    url = "thrift://localhost:1"
                    token_file = "HOME/tokens"
                    table = "d/t"
                    """);
            for (String url : List.of(server.url(), server.httpUrl())) {
                for (String command : List.of("count", "count -t d/t")) {
                    String[] words = command.split(" ", -1);
                    String line = run(Map.of("KVSTORE_URL", url), words).failed(ExitStatus.ERROR);
                    assertTrue(line.contains("give the token in KVSTORE_TOKEN"), line);
                    String[] named = (command + " --url " + url).split(" ", -1);
                    assertTrue(run(Map.of(), named).failed(ExitStatus.ERROR).contains("give the token"));
                    String[] both = (command + " --profile default --url " + url).split(" ", -1);
                    run(Map.of(), both).failed(ExitStatus.NOT_FOUND);
                }
            }
            assertTrue(run(Map.of(), "db", "list", "--url", server.url(), "--profile", "none")
                    .failed(ExitStatus.NOT_FOUND)
                    .contains("has no profile none"));
        }
    }

    @Test
    void a_profile_that_cannot_be_looked_for_is_not_passed_over() {
        for (Map<String, String> variables : List.of(Map.<String, String>of(), Map.of("KVSTORE_PROFILE", "p"))) {
            String[] options =
                    variables.isEmpty() ? new String[] {"db", "list", "--profile=p"} : new String[] {"db", "list"};
            CommandRun run = CommandRun.in(variables, Streams.of(new byte[0]), options);
            assertTrue(run.failed(ExitStatus.NOT_FOUND).contains("HOME is not set; set it, or give --url"));
        }
    }

    private void keytool(String arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments.split(" ", -1)));
        command.addAll(List.of("-alias", "server", "-storetype", "PKCS12", "-storepass", "changeit"));
        command.addAll(List.of("-keystore", home.resolve("keys").toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), printed);
    }

    @Test
    void a_certificate_is_trusted_if_a_file_says_so() throws Exception {
        keytool("-genkeypair -keyalg EC -dname CN=localhost -ext san=dns:localhost,ip:127.0.0.1");
        Path pem = home.resolve("server.pem");
        keytool("-exportcert -rfc -file " + pem);
        Path password = Files.writeString(home.resolve("password"), "changeit");
        try (TestServer server = TestServer.start(
                "--in-memory", "--tls-keystore=" + home.resolve("keys"), "--tls-password-file=" + password)) {
            String https = server.httpUrl().replace("http:", "https:");
            String unknown = run(Map.of("KVSTORE_URL", https), "db", "list").failed(ExitStatus.UNAVAILABLE);
            assertTrue(unknown.contains("is its certificate trusted? --ca-file names one"), unknown);
            assertEquals(
                    "",
                    run(Map.of("KVSTORE_URL", https, "KVSTORE_CA_FILE", pem.toString()), "db", "list")
                            .good());
            String url = server.url().replace("thrift:", "thrifts:");
            String untrusted = run(Map.of("KVSTORE_URL", url), "db", "list").failed(ExitStatus.UNAVAILABLE);
            assertTrue(untrusted.contains("is its certificate trusted? --ca-file names one"), untrusted);
            assertEquals(
                    "",
                    run(Map.of("KVSTORE_URL", url), "db", "list", "--ca-file", pem.toString())
                            .good());
            assertEquals(
                    "",
                    run(Map.of("KVSTORE_URL", url, "KVSTORE_CA_FILE", pem.toString()), "db", "list")
                            .good());
            profiles("[default]\nurl = \"" + url + "\"\nca_file = \"HOME/server.pem\"\n");
            assertEquals("", run(Map.of(), "db", "list").good());
            assertTrue(run(Map.of(), "db", "list", "--ca-file", password.toString())
                    .failed(ExitStatus.USAGE)
                    .contains("has no certificate; give one or more in PEM form"));
            run(Map.of(), "db", "list", "--ca-file", "none").failed(ExitStatus.NOT_FOUND);
        }
    }

    /** The user relies on each option, so none is passed over. */
    @Test
    void an_option_that_the_target_cannot_use_is_refused() throws Exception {
        String file = Files.writeString(home.resolve("file"), "x").toString();
        for (String url : List.of("thrift://localhost:1", "http://localhost:1")) {
            assertTrue(run(Map.of(), "db", "list", "--url", url, "--ca-file", file)
                    .failed(ExitStatus.USAGE)
                    .contains("has no TLS; give " + url.substring(0, url.indexOf(':')) + "s://HOST:PORT"));
        }
        for (String option : List.of("--ca-file", "--token-file")) {
            String url = home.resolve("store").toString();
            assertTrue(run(Map.of(), "db", "list", "--url", url, option, file)
                    .failed(ExitStatus.USAGE)
                    .contains("leave " + option + " out"));
            assertTrue(Files.notExists(home.resolve("store")));
        }
    }
}
