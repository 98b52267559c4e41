package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client of a language against a server: it has an {@code e2e} of its own, which this runs with a token, and with a command
 * that restarts the server. A language that is not installed is skipped by name, and so is Rust, which takes long to compile,
 * unless it is asked for. Each language is a class, so that several are tested at a time.
 */
abstract class ClientContract {

    static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();
    private static final int NOT_INSTALLED = 77;

    private final String language;

    @TempDir
    private Path temp;

    /** @param language the folder of the client */
    ClientContract(String language) {
        this.language = language;
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void does_all_that_it_says() throws Exception {
        Assumptions.assumeTrue(
                !language.equals("rust") || Boolean.getBoolean("kv.clients.all"),
                "rust: its crates take a minute to compile; -Dkv.clients.all=true tests it too");
        Path output = temp.resolve("output");
        try (RestartedServer server = new RestartedServer(temp)) {
            ProcessBuilder builder = new ProcessBuilder(
                            ROOT.resolve("kvstore-clients")
                                    .resolve(language)
                                    .resolve("e2e")
                                    .toString(),
                            server.address(),
                            server.token())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().put("KVSTORE_E2E_RESTART", server.restartCommand());
            Process process = builder.start();
            try {
                while (!process.waitFor(20, TimeUnit.MILLISECONDS)) {
                    server.restartIfAsked();
                }
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            String said = Files.readString(output, StandardCharsets.UTF_8);
            Assumptions.assumeFalse(process.exitValue() == NOT_INSTALLED, language + ": " + said);
            assertEquals(0, process.exitValue(), said);
            assertFalse(said.contains("skipped restart"), said);
            assertFalse(said.contains("skipped backups"), said);
        }
    }

    /** A server with a token that is started again, on the same port and with the same data, when a file asks for it. */
    private static final class RestartedServer implements AutoCloseable {

        private final Path folder;
        private final Path tokens;
        private final Path asked;
        private final Path done;
        private final ServerProcess.Ready first;
        private ServerProcess process;

        RestartedServer(Path folder) throws IOException {
            this.folder = folder;
            this.tokens = folder.resolve("tokens");
            this.asked = folder.resolve("restart-asked");
            this.done = folder.resolve("restart-done");
            this.first = start(0);
            this.process = first.process();
        }

        private ServerProcess.Ready start(int thriftPort) throws IOException {
            List<String> arguments = List.of(
                    "--data",
                    folder.resolve("data").toString(),
                    "--backups",
                    folder.resolve("backups").toString(),
                    "--http-port",
                    "0",
                    "--thrift-port",
                    "" + thriftPort,
                    "--memory",
                    "256M",
                    // what a power loss leaves is looked at elsewhere; each of thousands of writes would wait for the
                    // disk
                    "--durability",
                    "buffered",
                    "--token-file",
                    tokens.toString(),
                    "--create-token-file");
            return ServerProcess.of(folder.resolve("errors"), arguments.toArray(String[]::new))
                    .awaitReady();
        }

        String address() {
            return "127.0.0.1:" + first.thriftPort();
        }

        String token() throws IOException {
            return Files.readString(tokens).strip();
        }

        /** A command that asks for a restart and waits until it was done. */
        String restartCommand() {
            return "touch '%s'; while [ ! -e '%s' ]; do sleep 0.05; done; rm '%s'".formatted(asked, done, done);
        }

        void restartIfAsked() throws IOException, InterruptedException {
            if (Files.deleteIfExists(asked)) {
                process.terminate();
                assertEquals(0, process.awaitEnd(), process::errors);
                process = start(first.thriftPort()).process();
                Files.createFile(done);
            }
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
