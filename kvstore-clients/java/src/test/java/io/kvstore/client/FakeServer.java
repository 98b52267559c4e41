package io.kvstore.client;

import io.kvstore.thrift.KVStoreService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.layered.TFramedTransport;
import org.jspecify.annotations.Nullable;

/** A server that answers as a test says, and remembers what was called. */
final class FakeServer implements AutoCloseable {

    private static final int MAX_FRAME_BYTES = 64 << 20;

    private final ServerSocket listener;
    private final Script script;
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);

    /** What the server does with a call. */
    @FunctionalInterface
    interface Script {
        /** The answer; or whatever is thrown. */
        @Nullable
        Object answer(Visit visit) throws TException, InterruptedException;
    }

    /** A call, the place of its connection among all, and the place of the call among those of its method, from 1. */
    record Visit(String method, int connection, int number, Socket socket, CountDownLatch end) {

        /** Ends the connection instead of an answer. */
        Object cut() {
            try {
                socket.close();
                return false;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Answers when the server ends. */
        Object hang() throws InterruptedException {
            end.await();
            return cut();
        }
    }

    private FakeServer(ServerSocket listener, Script script) {
        this.listener = listener;
        this.script = script;
    }

    static FakeServer start(Script script) throws IOException {
        return start(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), script);
    }

    static FakeServer start(ServerSocket listener, Script script) {
        FakeServer server = new FakeServer(listener, script);
        Thread thread = new Thread(server::accept, "fake-server");
        thread.setDaemon(true);
        thread.start();
        return server;
    }

    ClientOptions options() {
        return ClientOptions.of("127.0.0.1", listener.getLocalPort());
    }

    /** The methods that were called, in order. */
    List<String> calls() {
        return calls;
    }

    /** How many connections were made. */
    int connections() {
        return connections.size();
    }

    /** Ends all connections and goes on. None of them reads anything any more when this returns. */
    void cutAll() throws IOException {
        for (Socket connection : connections) {
            connection.close();
        }
        for (Thread thread : threads) {
            joinUninterruptibly(thread);
        }
    }

    private static void joinUninterruptibly(Thread thread) {
        boolean interrupted = Thread.interrupted();
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                connections.add(socket);
                int number = connections.size();
                Thread thread = new Thread(() -> serve(socket, number), "fake-connection-" + number);
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
        } catch (IOException e) {
            end.countDown();
        }
    }

    private void serve(Socket socket, int connection) {
        try (socket) {
            TFramedTransport frames = new TFramedTransport(new TSocket(socket), MAX_FRAME_BYTES);
            TBinaryProtocol protocol = new TBinaryProtocol(frames);
            KVStoreService.Processor<KVStoreService.Iface> processor =
                    new KVStoreService.Processor<>(service(socket, connection));
            while (!socket.isClosed()) {
                processor.process(protocol, protocol);
            }
        } catch (IOException | TException e) {
            // The client or the test ended the connection.
        }
    }

    private KVStoreService.Iface service(Socket socket, int connection) {
        return (KVStoreService.Iface) Proxy.newProxyInstance(
                FakeServer.class.getClassLoader(),
                new Class<?>[] {KVStoreService.Iface.class},
                (proxy, method, args) -> {
                    String name = method.getName();
                    calls.add(name);
                    int number = (int) calls.stream().filter(name::equals).count();
                    return script.answer(new Visit(name, connection, number, socket, end));
                });
    }

    @Override
    public void close() throws IOException {
        end.countDown();
        listener.close();
        cutAll();
    }
}
