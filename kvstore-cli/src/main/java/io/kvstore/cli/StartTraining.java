package io.kvstore.cli;

import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.thrift.Entry;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.SnapshotLease;
import io.kvstore.thrift.Stats;
import io.kvstore.thrift.TableInfo;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TServer;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.layered.TFramedTransport;

/**
 * Runs commands of many kinds once, so that the launcher can make a cache of the classes that they load: on a store in a
 * temporary directory, and on servers in this process that have few answers. Exports have many rows, because the cache also
 * keeps which methods are worth optimizing.
 */
final class StartTraining {

    private static final byte[] VALUE = {'1'};
    private static final int PAGES = 10;
    private static final int PAGE_ENTRIES = 5_000;

    private StartTraining() {}

    /** Fails, with a status that is not 0, if one of the commands does. */
    public static void main(String[] arguments) throws IOException, TTransportException {
        LogLines.use();
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
            Path rows = directory.resolve("rows");
            Files.writeString(rows, rows());
            run(store, "import -t demo/lsm " + rows);
            run(store, "export -t demo/lsm");
            onServer();
            overHttp();
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
        // an export has two connections
        TServer server = new TThreadPoolServer(new TThreadPoolServer.Args(socket)
                .executorService(Executors.newCachedThreadPool(StartTraining::daemon))
                .processor(new KVStoreService.Processor<>(service()))
                .protocolFactory(new TBinaryProtocol.Factory())
                .transportFactory(new TFramedTransport.Factory()));
        daemon(server::serve).start();
        try {
            String url = "thrift://localhost:" + socket.getServerSocket().getLocalPort();
            run(url, "get -t demo/t k");
            run(url, "db list");
            run(url, "export -t demo/t");
        } finally {
            server.stop();
        }
    }

    private static void overHttp() throws IOException {
        try (HttpTraining server =
                new HttpTraining(rows() + "{\"end\":true,\"count\":" + PAGES * PAGE_ENTRIES + "}\n")) {
            for (String command : List.of("db list", "get -t demo/t k", "count -t demo/t", "export -t demo/t")) {
                run(server.url(), command);
            }
        }
    }

    private static Thread daemon(Runnable run) {
        Thread thread = new Thread(run, "kvstore-training");
        thread.setDaemon(true);
        return thread;
    }

    private static String rows() {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < PAGES * PAGE_ENTRIES; i++) {
            rows.append("{\"key\":\"key")
                    .append(i)
                    .append("\",\"value\":\"a value of usual length, ")
                    .append(i);
            rows.append("\"}\n");
        }
        return rows.toString();
    }

    private static KVStoreService.Iface service() {
        ScanPage page = page();
        AtomicInteger scans = new AtomicInteger();
        return (KVStoreService.Iface) Proxy.newProxyInstance(
                StartTraining.class.getClassLoader(),
                new Class<?>[] {KVStoreService.Iface.class},
                (_, method, _) -> switch (method.getName()) {
                    case "get" -> new GetResult().setValue(VALUE);
                    case "databases" -> List.of("demo");
                    case "describeTable" -> new TableInfo("demo", "t", 1, "lsm", Map.of());
                    case "tableStats" -> new Stats(Map.of(), Map.of());
                    case "openSnapshot" -> new SnapshotLease(1, 60_000);
                    case "closeSnapshot" -> null;
                    case "scan" -> scans.incrementAndGet() < PAGES ? page : new ScanPage(page.getEntries());
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static ScanPage page() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < PAGE_ENTRIES; i++) {
            entries.add(new Entry(text("key" + i)).setValue(text("a value of usual length, " + i)));
        }
        return new ScanPage(entries).setContinuation(VALUE);
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
