package io.kvstore.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.error.ConnectionFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** TLS: whom the client trusts. */
@TestInstance(Lifecycle.PER_CLASS)
final class TlsTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path file;

    TlsTest(@TempDir Path folder) {
        this.file = folder.resolve("localhost.p12");
    }

    /** Makes a certificate for the host "localhost". */
    @BeforeAll
    void makeCertificate() throws IOException, InterruptedException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        List<String> command = List.of(
                keytool,
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=server",
                "-ext",
                "san=dns:localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
        assertEquals(0, process.waitFor(), said);
    }

    private SSLContext context() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private FakeServer start(SSLContext context) throws IOException {
        ServerSocket listener =
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        return FakeServer.start(listener, visit -> true);
    }

    private static ClientOptions at(String host, FakeServer server) {
        return ClientOptions.of(host, server.options().port());
    }

    @Test
    void a_trusted_certificate_of_the_host_is_accepted() throws Exception {
        SSLContext context = context();
        try (FakeServer server = start(context);
                KVClient client = KVClient.connect(at("localhost", server).withSslContext(context))) {
            assertTrue(client.table("d", "t").contains("a"));
        }
    }

    @Test
    void a_trusted_certificate_of_another_host_is_refused() throws Exception {
        SSLContext context = context();
        try (FakeServer server = start(context);
                KVClient client = KVClient.connect(at("127.0.0.1", server).withSslContext(context))) {
            ConnectionFailedException failure = assertThrows(
                    ConnectionFailedException.class,
                    () -> client.table("d", "t").contains("a"));
            assertFalse(failure.isRetryable(), failure::toString);
            assertEquals(List.of(), server.calls());
        }
    }

    @Test
    void an_unknown_certificate_is_refused() throws Exception {
        try (FakeServer server = start(context());
                KVClient client = KVClient.connect(at("localhost", server).withTls(true))) {
            assertThrows(
                    ConnectionFailedException.class,
                    () -> client.table("d", "t").contains("a"));
            assertEquals(List.of(), server.calls());
        }
    }

    @Test
    void a_server_without_tls_is_no_server() throws Exception {
        try (FakeServer server = FakeServer.start(visit -> true);
                KVClient client =
                        KVClient.connect(at("127.0.0.1", server).withTls(true).withTimeoutMillis(2_000))) {
            assertThrows(
                    ConnectionFailedException.class,
                    () -> client.table("d", "t").put("a", new byte[0]));
            assertEquals(List.of(), server.calls());
        }
    }
}
