package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.ServiceError;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.layered.TFramedTransport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both ports with TLS and tokens, as a server for other machines has them. */
final class TlsTest {

    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path temp;

    private Path keyStore;
    private Path password;
    private Path tokens;

    @BeforeEach
    void makeKeys() throws Exception {
        keyStore = temp.resolve("keys.p12");
        password = Files.writeString(temp.resolve("password"), PASSWORD + "\n");
        tokens = temp.resolve("tokens");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                keyStore.toString());
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), said);
    }

    private SSLContext trusting() throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keyStore)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private ServerProcess.Ready start() throws Exception {
        return ServerProcess.of(
                        temp.resolve("errors"),
                        "--data",
                        temp.resolve("data").toString(),
                        "--http-port",
                        "0",
                        "--thrift-port",
                        "0",
                        "--stop-seconds",
                        "1",
                        "--token-file",
                        tokens.toString(),
                        "--create-token-file",
                        "--tls-keystore",
                        keyStore.toString(),
                        "--tls-password-file",
                        password.toString())
                .awaitReady();
    }

    private static KVStoreService.Client client(Socket socket) throws TTransportException {
        return new KVStoreService.Client(new TBinaryProtocol(new TFramedTransport(new TSocket(socket))));
    }

    @Test
    void thrift_is_encrypted_and_asks_for_a_token() throws Exception {
        ServerProcess.Ready ready = start();
        try (ServerProcess process = ready.process();
                Socket secure = trusting().getSocketFactory().createSocket(LOOPBACK, ready.thriftPort());
                Socket plain = new Socket(LOOPBACK, ready.thriftPort())) {
            KVStoreService.Client client = client(secure);
            client.ping();
            ServiceError refused = assertThrows(ServiceError.class, client::databases);
            assertEquals(ErrorCode.UNAUTHENTICATED, refused.getCode());
            client.authenticate(Files.readString(tokens).strip());
            assertTrue(client.createDatabase("d"));
            assertThrows(TTransportException.class, () -> client(plain).ping());
            process.terminate();
            assertEquals(0, process.awaitEnd(), process::errors);
        }
    }

    @Test
    void a_client_that_does_not_read_keeps_nobody_from_stopping() throws Exception {
        ServerProcess.Ready ready = start();
        try (ServerProcess process = ready.process();
                Socket secure = trusting().getSocketFactory().createSocket(LOOPBACK, ready.thriftPort())) {
            KVStoreService.Client client = client(secure);
            client.authenticate(Files.readString(tokens).strip());
            // A method of this name is unknown, which the answer says with its name; nobody reads it.
            TMemoryBuffer call = new TMemoryBuffer(64);
            new TBinaryProtocol(call).writeMessageBegin(new TMessage("x".repeat(8 << 20), TMessageType.CALL, 1));
            call.write(new byte[1]);
            TFramedTransport transport = new TFramedTransport(new TSocket(secure));
            transport.write(call.getArray(), 0, call.length());
            transport.flush();
            process.terminate();
            assertEquals(1, process.awaitEnd(), process::errors);
        }
    }

    @Test
    void http_is_encrypted_and_asks_for_a_token_but_tells_its_health() throws Exception {
        ServerProcess.Ready ready = start();
        try (ServerProcess process = ready.process();
                HttpClient http = HttpClient.newBuilder()
                        .sslContext(trusting())
                        .version(HttpClient.Version.HTTP_1_1)
                        .build()) {
            String base = "https://localhost:" + ready.port();
            assertEquals(200, status(http, base + "/health/ready", "none"));
            assertEquals(401, status(http, base + "/v1/databases", "none"));
            assertEquals(401, status(http, base + "/metrics", "Bearer wrong"));
            String token = Files.readString(tokens).strip();
            assertEquals(401, status(http, base + "/v1/databases", token));
            assertEquals(200, status(http, base + "/v1/databases", "Bearer " + token));
            assertEquals(200, status(http, base + "/metrics", "bearer " + token));
            assertEquals(
                    "kvstore: wrote a new token to " + tokens + "; clients send it as it stands there",
                    process.errors().strip());
        }
    }

    private static int status(HttpClient http, String uri, String authorization) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
                .header("Authorization", authorization)
                .build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }

    @Test
    void a_wrong_password_and_half_of_the_options_are_named() throws Exception {
        Files.writeString(password, "wrong");
        try (ServerProcess process = ServerProcess.of(
                temp.resolve("errors"),
                "--data",
                temp.resolve("data").toString(),
                "--tls-keystore",
                keyStore.toString(),
                "--tls-password-file",
                password.toString())) {
            assertTrue(process.expectFailure(1).contains("keys.p12"), process::errors);
        }
        try (ServerProcess process = ServerProcess.of(temp.resolve("errors"), "--tls-keystore", keyStore.toString())) {
            assertTrue(process.expectFailure(2).contains("--tls-password-file"), process::errors);
        }
    }
}
