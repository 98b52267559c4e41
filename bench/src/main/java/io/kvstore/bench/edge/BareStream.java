package io.kvstore.bench.edge;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Answers each frame with a prepared frame of a given length. Shows the rate that a connection can carry. */
public final class BareStream {

    private static final int LENGTH_BYTES = 4;

    private BareStream() {}

    /** Serves until the process ends. Prints the port. The argument is the length of an answer without its head. */
    public static void main(String[] arguments) throws IOException {
        int length = Integer.parseInt(arguments[0]);
        byte[] answer =
                ByteBuffer.allocate(LENGTH_BYTES + length).putInt(length).array();
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println("ready " + listener.getLocalPort());
            System.out.flush();
            while (true) {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> serve(socket, answer));
            }
        }
    }

    private static void serve(Socket socket, byte[] answer) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                in.skipNBytes(in.readInt());
                socket.getOutputStream().write(answer);
            }
        } catch (IOException e) {
            System.getLogger(BareStream.class.getName()).log(System.Logger.Level.DEBUG, "a connection ended", e);
        }
    }
}
