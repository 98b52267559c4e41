package io.kvstore.bench.net;

import io.kvstore.data.Pause;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, on a free port of the loopback address. Closing it kills the process. */
record NetServer(Process process, InetSocketAddress address) implements AutoCloseable {

    private static final Pattern KVSTORE_READY = Pattern.compile("ready http=\\S+ thrift=\\S+:([0-9]+) .*");
    private static final Pattern CHILD_READY = Pattern.compile("ready ([0-9]+)");
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Starts this store as users start it. Its writes have the given durability by default. */
    static NetServer kvstore(Path launcher, Path data, String durability) throws IOException {
        return start(
                KVSTORE_READY,
                List.of(
                        launcher.toString(),
                        "server",
                        "--data",
                        data.toString(),
                        "--http-port",
                        "0",
                        "--thrift-port",
                        "0",
                        "--durability",
                        durability,
                        "--memory",
                        "1G"));
    }

    /** Starts a class of this program, which prints {@code ready} and its port. */
    static NetServer child(Class<?> main, String argument) throws IOException {
        return start(
                CHILD_READY,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        argument));
    }

    private static NetServer start(Pattern readyLine, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher ready = readyLine.matcher(line);
            if (ready.matches()) {
                return new NetServer(process, at(Integer.parseInt(ready.group(1))));
            }
        }
        process.destroyForcibly();
        throw new IOException(command.getFirst() + " ended before it was ready");
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Starts the Redis of the PATH, with its log. */
    static NetServer redis(Path data, String fsync) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<String> command = new ArrayList<>(List.of("redis-server", "--port", "" + port, "--save", ""));
        command.addAll(List.of("--appendonly", "yes", "--appendfsync", fsync, "--dir", data.toString()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(data.resolve("redis.log").toFile())
                .redirectErrorStream(true)
                .start();
        long deadline = System.nanoTime() + START_NANOS;
        while (process.isAlive() && System.nanoTime() - deadline < 0) {
            try (Socket socket = new Socket()) {
                socket.connect(at(port));
                return new NetServer(process, at(port));
            } catch (IOException e) {
                Pause.nanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
        process.destroyForcibly();
        throw new IOException("redis-server does not listen");
    }

    /** Whether this machine has Redis. */
    static boolean hasRedis() {
        try {
            Process process = new ProcessBuilder("redis-server", "--version")
                    .redirectErrorStream(true)
                    .start();
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this program", e);
        }
    }

    /** The processor time that the server used. */
    double cpuSeconds() {
        return process.toHandle()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
