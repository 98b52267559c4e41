package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.CommandRun.Streams;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.client.KVClient;
import io.kvstore.client.OperationResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a server, from the command line. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BackupServerTest {

    private Path temp;
    private TestServer server;

    @BeforeAll
    void start(@TempDir Path directory) {
        temp = directory;
        server = TestServer.start("--data=" + temp.resolve("data"), "--backups=" + temp.resolve("backups"));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private CommandRun run(String... arguments) {
        return CommandRun.in(Map.of("KVSTORE_URL", server.url()), Streams.of(new byte[0]), arguments);
    }

    @Test
    void a_database_comes_back_under_another_name() {
        run("db", "create", "shop").good();
        run("table", "create", "shop/orders", "--engine", "lsm").good();
        run("put", "-t", "shop/orders", "17", "open").good();
        String made = run("backup", "create").good();
        String id = made.substring(0, made.indexOf(' '));
        run("put", "-t", "shop/orders", "17", "closed").good();
        run("backup", "restore", "--database", "shop", "--as", "shop_old", "--id", id)
                .good();
        assertEquals("open", run("get", "-t", "shop_old/orders", "17").good());
        assertEquals("closed", run("get", "-t", "shop/orders", "17").good());
        assertTrue(run("backup", "list").good().contains(made));
        assertTrue(run("backup", "verify").errors().contains("is sound"));
        run("backup", "restore", "--database", "shop", "--as", "shop").failed(ExitStatus.CONDITION_FAILED);
        run("backup", "restore", "--database", "shops", "--as", "other").failed(ExitStatus.NOT_FOUND);
        run("backup", "restore", "--database", "shop", "--as", "other", "--id", "99")
                .failed(ExitStatus.NOT_FOUND);
        assertEquals("deleted " + id + "\n", run("backup", "delete", "--id", id).good());
        run("backup", "delete", "--id", id).failed(ExitStatus.NOT_FOUND);
    }

    @Test
    void what_is_missing_is_said() {
        assertTrue(run("backup", "restore").failed(ExitStatus.USAGE).contains("--database and --as"));
        assertTrue(run("backup", "restore", "--database", "a")
                .failed(ExitStatus.USAGE)
                .contains("both"));
        assertTrue(run("backup", "delete").failed(ExitStatus.USAGE).contains("--keep"));
        run("backup", "delete", "--keep", "0").failed(ExitStatus.USAGE);
        run("db", "create", "d", "--url", temp.resolve("alone").toString()).good();
        String alone = temp.resolve("alone").toString();
        assertTrue(run("backup", "create", alone).failed(ExitStatus.USAGE).contains("REPOSITORY"));
        for (String command : List.of("create", "list", "verify")) {
            String said = run("backup", command, "--url", alone).failed(ExitStatus.USAGE);
            assertTrue(said.contains("kvstore backup " + command) && said.contains("REPOSITORY"), said);
        }
        try (TestServer without = TestServer.start("--in-memory")) {
            String said = run("backup", "create", "--url", without.url()).failed(ExitStatus.USAGE);
            assertTrue(said.contains("--backups"), said);
        }
    }

    @Test
    void a_session_that_only_reads_lists_backups_and_changes_none() {
        run("backup", "list", "--read-only").good();
        for (String write : List.of("create", "verify", "delete --id 1", "restore --database a --as b --id 1")) {
            String[] words = ("backup " + write + " --read-only").split(" ", -1);
            assertTrue(run(words).failed(ExitStatus.USAGE).contains("which --read-only refuses"), write);
        }
    }

    @Test
    void backups_are_apart_from_the_store() throws IOException {
        String store = temp.resolve("apart").toString();
        run("db", "create", "d", "--url", store).good();
        Files.createSymbolicLink(temp.resolve("apartlink"), temp.resolve("apart"));
        String within = temp.resolve("apartlink").resolve("backups").toString();
        String said = run("backup", "create", store, within).failed(ExitStatus.USAGE);
        assertTrue(said.contains(within + " is in ") && said.contains("the directory of the store"), said);
        String kept = temp.resolve("apartkept").toString();
        run("backup", "create", store, kept).good();
        said = run("backup", "restore", kept, within).failed(ExitStatus.USAGE);
        assertTrue(said.contains(within + " is in ") && said.contains("the directory of a store"), said);
    }

    @Test
    void options_of_a_server_do_not_stand_beside_directories() {
        String store = temp.resolve("own").toString();
        String kept = temp.resolve("ownkept").toString();
        run("db", "create", "d", "--url", store).good();
        run("backup", "create", store, kept).good();
        List<String> commands = List.of(
                "create " + store + " " + kept,
                "list " + kept,
                "verify " + kept,
                "delete " + kept + " --id 1",
                "restore " + kept + " " + temp.resolve("restored"),
                "restore " + kept + " " + store + " --database d --as e");
        for (String command : commands) {
            for (String option : List.of("--read-only", "--url=" + server.url(), "--profile=p", "--token-file=t")) {
                String[] words = ("backup " + command + " " + option).split(" ", -1);
                assertTrue(run(words).failed(ExitStatus.USAGE).contains("leave those options out"), command);
            }
        }
        for (String command : commands) {
            boolean isRead = command.startsWith("list") || command.startsWith("verify");
            CommandRun shell = CommandRun.in(
                    Map.of("KVSTORE_URL", server.url()),
                    Streams.of(("backup " + command).getBytes(StandardCharsets.UTF_8)),
                    "shell",
                    "--read-only");
            assertEquals(isRead ? ExitStatus.OK : ExitStatus.USAGE, shell.status(), command + shell.errors());
        }
        assertFalse(Files.exists(temp.resolve("restored")));
        assertEquals(1, run("backup", "list", kept).good().lines().count());
    }

    /** Ctrl-C ends the operation on the server, too. */
    @Test
    void an_interrupt_cancels_the_operation() {
        try (KVClient client = KVClient.connect(server.url().replace("thrift", "kvstore"))) {
            client.createDatabase("large");
            client.createTable("large", "t", "bplus");
            SplittableRandom random = new SplittableRandom(1);
            byte[] value = new byte[4 << 20];
            for (int i = 0; i < 40; i++) {
                random.nextBytes(value);
                client.table("large", "t").put("k" + i, value);
            }
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            AtomicReference<Console> console = new AtomicReference<>();
            console.set(new Console(
                    InputStream.nullInputStream(), new ByteArrayOutputStream(), errors, CommandRun.NONE, () -> {
                        if (client.operations().stream()
                                .anyMatch(job -> job.state() == OperationResult.State.RUNNING)) {
                            console.get().interruption().ask();
                        }
                        return System.nanoTime();
                    }));
            int status = Commands.run(console.get(), Map.of("KVSTORE_URL", server.url()), "backup", "create");
            String said = errors.toString(StandardCharsets.UTF_8);
            assertEquals(ExitStatus.INTERRUPTED, status, said);
            assertTrue(said.matches("(?s).*; operation [0-9]+ of thrift://.* (was told to stop|has stopped)\n"), said);
            OperationResult last = client.operations().getLast();
            OperationResult ended = client.awaitOperation(last.id());
            assertEquals(OperationResult.State.CANCELLED, ended.state());
            assertFalse(client.operations().stream().anyMatch(job -> job.state() == OperationResult.State.RUNNING));
        }
    }
}
