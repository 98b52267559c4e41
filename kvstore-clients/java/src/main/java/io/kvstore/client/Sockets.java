package io.kvstore.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * The sockets of a connection.
 *
 * @param plain the socket of the network
 * @param used the socket that is read and written: the plain one, or TLS over it
 */
record Sockets(Socket plain, Socket used) {

    /** Connects to the first of the host's addresses that answers. */
    static Sockets open(ClientOptions options, Deadline deadline) throws IOException {
        IOException failure = new SocketTimeoutException("there is no time left to connect");
        for (InetAddress address : InetAddress.getAllByName(options.host())) {
            if (deadline.isOver()) {
                break;
            }
            try {
                return open(options, address, deadline);
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private static Sockets open(ClientOptions options, InetAddress address, Deadline deadline) throws IOException {
        Socket plain = new Socket();
        boolean opened = false;
        try {
            plain.connect(new InetSocketAddress(address, options.port()), deadline.remainingMillis());
            plain.setSoTimeout(deadline.remainingMillis());
            Sockets sockets = new Sockets(plain, options.tls() ? overTls(options, plain) : plain);
            opened = true;
            return sockets;
        } finally {
            if (!opened) {
                plain.close();
            }
        }
    }

    private static SSLSocket overTls(ClientOptions options, Socket plain) throws IOException {
        SSLSocketFactory factory = options.sslContext() == null
                ? (SSLSocketFactory) SSLSocketFactory.getDefault()
                : options.sslContext().getSocketFactory();
        SSLSocket secure = (SSLSocket) factory.createSocket(plain, options.host(), options.port(), true);
        SSLParameters parameters = secure.getSSLParameters();
        // Without this a trusted certificate of any other host would be accepted.
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }
}
