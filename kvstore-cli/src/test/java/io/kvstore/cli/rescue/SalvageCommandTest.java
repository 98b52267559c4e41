package io.kvstore.cli.rescue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Session;
import io.kvstore.error.InvalidRequestException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A salvage that does not come to its end. */
final class SalvageCommandTest {

    @TempDir
    private Path temp;

    private RuntimeException failure(Path store, Path to) {
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                new Terminals(false, false, false),
                System::nanoTime);
        console.interruption().ask();
        try (Session session = new Session(console, Map.of())) {
            SalvageCommand command = new SalvageCommand(session);
            new CommandLine(command).parseArgs(store.toString(), "--to", to.toString());
            return assertThrows(RuntimeException.class, command::call);
        }
    }

    @Test
    void an_interrupt_names_the_store_that_is_not_whole() throws Exception {
        Path store = temp.resolve("store");
        try (KVStore opened = new KVStore(store.toFile())) {
            opened.createDatabaseIfAbsent("d");
            Table table = opened.createTable("d", "t", "BPLUS", new Properties());
            for (int i = 0; i < 2_000; i++) {
                table.put(Integer.toString(i), "v".getBytes(UTF_8));
            }
        }
        Path to = temp.resolve("to");
        CommandFailure interrupted = (CommandFailure) failure(store, to);
        assertEquals(ExitStatus.INTERRUPTED, interrupted.status());
        assertEquals("interrupted; " + to + " has a part of the entries only: delete it", interrupted.getMessage());
        assertTrue(Files.exists(to.resolve("CATALOG")));
        RuntimeException again = failure(store, to);
        assertTrue(again instanceof InvalidRequestException, again::toString);
        assertTrue(Files.exists(to.resolve("CATALOG")));
        RuntimeException none = failure(temp.resolve("store/none"), temp.resolve("other"));
        assertEquals(ExitStatus.NOT_FOUND, ((CommandFailure) none).status());
        assertTrue(String.valueOf(none.getMessage()).endsWith("none"), none::toString);
    }
}
