package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.StorageException;
import io.kvstore.server.edge.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Failures at the start say the reason, and not only which file it was. */
final class StartFailureTest {

    @TempDir
    private Path temp;

    /** What the command says if serving fails so. */
    private static String said(RuntimeException failure) {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(errors, true, StandardCharsets.UTF_8);
        ServerCommand command = new ServerCommand(
                (config, out) -> {
                    throw failure;
                },
                stream,
                stream);
        assertEquals(1, new CommandLine(command).execute("--in-memory"));
        return errors.toString(StandardCharsets.UTF_8).strip();
    }

    @Test
    void a_file_that_this_user_may_not_use_is_named_with_that_reason() {
        IOException denied = new AccessDeniedException("/data/LOCK");
        assertEquals(
                "kvstore: opening the store in /data failed: this user may not use /data/LOCK; change its permissions, or"
                        + " run as its owner",
                said(new StorageException("opening the store in /data failed: " + denied, denied)));
    }

    @Test
    void other_reasons_stay_as_they_are() {
        IOException failure = new IOException("/data is not a directory");
        assertEquals(
                "kvstore: opening failed: /data is not a directory",
                said(new UncheckedIOException("opening failed: " + failure, failure)));
        assertEquals("kvstore: that is all", said(new StorageException("that is all", null)));
    }

    @Test
    void a_directory_for_backups_in_that_of_the_store_is_refused() throws Exception {
        Path real = temp.toRealPath();
        Files.createSymbolicLink(real.resolve("link"), real.resolve("data"));
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(errors, true, StandardCharsets.UTF_8);
        String[] arguments = {
            "--data=" + real.resolve("data"),
            "--backups=" + real.resolve("link").resolve("backups"),
            "--http-port=0",
            "--thrift-port=0"
        };
        assertEquals(1, KVStoreServer.run(stream, stream, arguments));
        assertEquals(
                "kvstore: " + real.resolve("link").resolve("backups") + " is in " + real.resolve("data")
                        + ", the directory of the store; give a directory that is apart from it",
                errors.toString(StandardCharsets.UTF_8).strip());
        assertFalse(Files.exists(real.resolve("data").resolve("backups")));
    }

    /** As keytool -importcert makes it. A server with it would answer no handshake. */
    @Test
    void a_key_store_without_a_key_is_refused() throws Exception {
        Path file = temp.resolve("keys.p12");
        KeyStore empty = KeyStore.getInstance("PKCS12");
        empty.load(null, null);
        try (OutputStream out = Files.newOutputStream(file)) {
            empty.store(out, "changeit".toCharArray());
        }
        Path password = Files.writeString(temp.resolve("password"), "changeit\n");
        String message = String.valueOf(assertThrows(ProblemException.class, () -> TlsKeys.read(file, password))
                .getMessage());
        assertTrue(message.startsWith("the key store " + file + " has no private key"), message);
    }
}
