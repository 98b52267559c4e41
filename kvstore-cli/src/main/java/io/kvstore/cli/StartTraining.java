package io.kvstore.cli;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.KVStoreService;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TServer;
import org.apache.thrift.server.TSimpleServer;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.layered.TFramedTransport;

/**
 * Runs commands of many kinds once, so that the launcher can make a cache of the classes that they load: on a store in a
 * temporary directory, and on a server in this process that has one answer.
 */
final class StartTraining {

    private static final byte[] VALUE = {'1'};

    private StartTraining() {}

    /** Fails, with a status that is not 0, if one of the commands does. */
    public static void main(String[] arguments) throws IOException, TTransportException {
        Path directory = Files.createTempDirectory("kvstore-start");
        try {
            String store = directory.resolve("store").toString();
            run(store, "db create demo");
            for (String engine : List.of("lsm", "bplus", "hash")) {
                run(store, "table create demo/" + engine + " --engine " + engine);
                run(store, "put -t demo/" + engine + " k v");
                run(store, "get -t demo/" + engine + " k --output json");
            }
            for (String command : List.of("scan", "count", "exists k", "add n", "del k", "scan --output json")) {
                run(store, command + " -t demo/lsm");
            }
            run(store, "table info demo/lsm");
            run(store, "table list");
            run(store, "get --help");
            onServer();
        } finally {
            delete(directory);
        }
    }

    private static void run(String url, String command) {
        PrintStream errors = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                errors,
                new Terminals(false, false, false),
                System::nanoTime);
        int status = Commands.run(console, Map.of("KVSTORE_URL", url), command.split(" ", -1));
        if (status != 0) {
            throw new IllegalStateException(command + " ended with status " + status);
        }
    }

    private static void onServer() throws TTransportException {
        TServerSocket socket = new TServerSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        TServer server = new TSimpleServer(new TServer.Args(socket)
                .processor(new KVStoreService.Processor<>(service()))
                .protocolFactory(new TBinaryProtocol.Factory())
                .transportFactory(new TFramedTransport.Factory()));
        Thread serving = new Thread(server::serve, "kvstore-training");
        serving.setDaemon(true);
        serving.start();
        try {
            String url = "thrift://localhost:" + socket.getServerSocket().getLocalPort();
            run(url, "get -t demo/t k");
            run(url, "db list");
        } finally {
            server.stop();
        }
    }

    private static KVStoreService.Iface service() {
        return (KVStoreService.Iface) Proxy.newProxyInstance(
                StartTraining.class.getClassLoader(),
                new Class<?>[] {KVStoreService.Iface.class},
                (_, method, _) -> switch (method.getName()) {
                    case "get" -> new GetResult().setValue(VALUE);
                    case "databases" -> List.of("demo");
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
