package io.kvstore.server.thrift;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * The probes by which a connection notices that its client vanished without a word, as a machine does that lost its power or
 * its network. Such a client would keep its connection and its snapshots until their leases run out, an hour at most. The
 * times of the operating system are no help: its first probe usually goes out after two hours.
 */
final class KeepAlive {

    /** A pause of two minutes is usual for a client that works on a page. Shorter ones cost a packet and tell nothing. */
    static final int IDLE_SECONDS = 120;

    static final int INTERVAL_SECONDS = 30;

    /** Six lost packets in three minutes are no accident: a client that vanished is noticed after five minutes. */
    static final int PROBES = 6;

    private static final Map<SocketOption<Integer>, Integer> TIMES = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS,
            ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);

    private KeepAlive() {}

    /** Turns the probes on. Where the system has no times for a single socket, its own times remain. */
    static void set(Socket socket) throws IOException {
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (Map.Entry<SocketOption<Integer>, Integer> time : TIMES.entrySet()) {
            if (socket.supportedOptions().contains(time.getKey())) {
                socket.setOption(time.getKey(), time.getValue());
            }
        }
    }
}
