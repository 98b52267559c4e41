package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates that are trusted beside TLS's usual way: those of a file, and no others. */
final class Trust {

    private Trust() {}

    /** @param file of one or more certificates in PEM form */
    static SSLContext of(Path file, String source) {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (Certificate certificate : certificates(file, source)) {
                trusted.setCertificateEntry("ca" + trusted.size(), certificate);
            }
            if (trusted.size() == 0) {
                throw bad(file, source);
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new CommandFailure(
                    ExitStatus.ERROR, source + ": the certificates of " + file + " are of no use: " + e);
        }
    }

    private static Collection<? extends Certificate> certificates(Path file, String source) {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        } catch (CertificateException e) {
            throw bad(file, source);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, source + ": " + file + " cannot be read; give a file of certificates");
        }
    }

    private static CommandFailure bad(Path file, String source) {
        return new CommandFailure(
                ExitStatus.USAGE, source + ": " + file + " has no certificate; give one or more in PEM form");
    }
}
