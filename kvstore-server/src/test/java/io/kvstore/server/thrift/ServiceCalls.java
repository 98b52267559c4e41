package io.kvstore.server.thrift;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.ServiceError;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Calls of one client to a server of its own. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
abstract class ServiceCalls {

    @TempDir
    private Path directory;

    private ThriftTestServer server;
    private ThriftTestServer.Client client;

    @BeforeEach
    void open() throws Exception {
        server = ThriftTestServer.withBackups(directory.resolve("store"), directory.resolve("backups"));
        client = server.client();
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    /** Restarts the server over the same data, and connects again. */
    void restart() throws Exception {
        close();
        open();
    }

    /** The directory of the store and of the backups. */
    Path directory() {
        return directory;
    }

    ThriftTestServer server() {
        return server;
    }

    ThriftTestServer.Client client() {
        return client;
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    /** Checks that a call fails with a code, and that the error has all its parts. */
    static ServiceError fails(ErrorCode code, Executable call) {
        ServiceError error = assertThrows(ServiceError.class, call);
        assertEquals(code, error.getCode(), error::toString);
        assertTrue(error.isSetMessage() && error.isSetErrorId() && error.isSetOutcome(), error::toString);
        assertFalse(error.getMessage().contains("Exception"), error::toString);
        return error;
    }
}
