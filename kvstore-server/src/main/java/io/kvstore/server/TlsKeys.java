package io.kvstore.server;

import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Reasons;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** The server's key and certificate, from a PKCS #12 file as openssl and keytool write it. */
final class TlsKeys {

    private TlsKeys() {}

    /**
     * Reads a key store.
     *
     * @param passwordFile a file with the password in its first line
     * @throws ProblemException if it cannot be read or used
     */
    static SSLContext read(Path keyStore, Path passwordFile) {
        try (InputStream in = Files.newInputStream(keyStore)) {
            char[] password = Files.readString(passwordFile, StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .toCharArray();
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, password);
            requireKey(keys, keyStore);
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, password);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw ProblemException.invalid("the key store " + keyStore + " with the password in " + passwordFile
                    + " cannot be used: " + reason(e));
        }
    }

    /** Refuses a file with which no client could be served: each handshake would fail. */
    private static void requireKey(KeyStore keys, Path file) throws KeyStoreException {
        for (String alias : Collections.list(keys.aliases())) {
            if (keys.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class)) {
                return;
            }
        }
        throw ProblemException.invalid(
                "the key store " + file + " has no private key with its certificate: make one that"
                        + " has both, such as with openssl pkcs12 -export -inkey KEY -in CERTIFICATE -out " + file);
    }

    private static String reason(Exception e) {
        if (e instanceof FileSystemException named) {
            return Reasons.of(named);
        }
        return e.getMessage() == null ? "it is no PKCS #12 file" : e.getMessage();
    }
}
