package io.kvstore.bench.net;

import io.kvstore.bench.edge.BareStream;
import io.kvstore.bench.edge.EchoServer;
import io.kvstore.bench.edge.EdgeLoad;
import io.kvstore.bench.edge.RedisCalls;
import io.kvstore.bench.edge.Template;
import io.kvstore.bench.edge.ThriftCalls;
import io.kvstore.bench.measure.Document;
import io.kvstore.bench.measure.Machine;
import io.kvstore.bench.measure.Place;
import io.kvstore.bench.measure.WorkDirectory;
import io.kvstore.bench.store.Shape;
import io.kvstore.thrift.Durability;
import io.kvstore.thrift.KVStoreService;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongUnaryOperator;
import java.util.regex.Pattern;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.layered.TFramedTransport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the Thrift edge beside servers that do nothing, and beside Redis with its log. */
@Command(
        name = "thrift",
        mixinStandardHelpOptions = true,
        description =
                "Calls a second over Thrift: this store, the library's own servers with nothing behind them, Redis.")
public final class ThriftCommand implements Callable<Integer> {

    /** The beginning of the row of additions. */
    public static final String ADD = "add to one key";

    private static final String OURS = "KVStore";
    private static final String OURS_SYNC = "KVStore sync";
    private static final String ECHO = "echo";
    private static final String EVERYSEC = "Redis everysec";
    private static final String ALWAYS = "Redis always";
    private static final String STREAM = "bare stream";
    private static final String SCAN = "scan by pages of 1,000, 1 connection";

    private static final int VALUE_BYTES = 500;
    private static final int LOAD_KEYS = 100;
    private static final int[] CONNECTIONS = {1, 16, 50, 256};
    private static final int LENGTH_BYTES = 4;

    /** No entry has this number. */
    private static final long COUNTER = -1;

    /** The number of the counter at the start. All later ones have as many digits, so all answers have one length. */
    private static final String COUNTER_START = "1000000000000000";

    @Option(names = "--rounds", defaultValue = "3", description = "Rounds. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(names = "--seconds", defaultValue = "3", description = "Length of a measurement. Default: ${DEFAULT-VALUE}")
    private int seconds;

    @Option(
            names = "--warm-up-seconds",
            defaultValue = "10",
            description =
                    "Unmeasured, before each server's first measurement of a row and before each scan; later ones have"
                            + " 1 s. Default: ${DEFAULT-VALUE}")
    private int warmUpSeconds;

    @Option(names = "--entries", defaultValue = "1000000", description = "Entries. Default: ${DEFAULT-VALUE}")
    private int entries;

    @Option(names = "--engine", defaultValue = "bplus", description = "The table's engine. Default: ${DEFAULT-VALUE}")
    private String engine = "bplus";

    @Option(names = "--cases", defaultValue = ".*", description = "Only rows that match. Default: ${DEFAULT-VALUE}")
    private Pattern wanted = Pattern.compile(".*");

    @Option(names = "--launcher", defaultValue = "./kvstore", description = "The launcher. Default: ${DEFAULT-VALUE}")
    private Path launcher = Path.of("kvstore");

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    private final Map<String, NetServer> servers = new LinkedHashMap<>();
    private final byte[] value = new byte[VALUE_BYTES];

    @Override
    public Integer call() throws IOException, TException {
        document.requirePositive("--rounds", rounds);
        document.requirePositive("--seconds", seconds);
        document.requirePositive("--entries", entries);
        Shape.WIDE.fillValue(1, value);
        try (WorkDirectory directory = WorkDirectory.in(place.directory())) {
            measure(directory.path());
        }
        return 0;
    }

    private void measure(Path directory) throws IOException, TException {
        try {
            start(directory);
            load();
            startCounters();
            NetReport report = new NetReport();
            List<NetCase> cases = cases();
            cases.removeIf(one -> !wanted.matcher(one.title()).find());
            for (int round = 0; round < rounds; round++) {
                int warmUp = round == 0 ? warmUpSeconds : 1;
                for (NetCase one : cases) {
                    measure(one, warmUp, report);
                }
                if (wanted.matcher(SCAN).find()) {
                    measureScans(report);
                }
            }
            document.print("Thrift", Machine.lines(), report.lines());
        } finally {
            servers.values().forEach(NetServer::close);
        }
    }

    private void start(Path directory) throws IOException {
        servers.put(
                OURS, NetServer.kvstore(launcher, Files.createDirectory(directory.resolve("buffered")), "buffered"));
        servers.put(OURS_SYNC, NetServer.kvstore(launcher, Files.createDirectory(directory.resolve("sync")), "sync"));
        servers.put(ECHO, NetServer.child(EchoServer.class, EchoServer.Kind.VIRTUAL_THREADS.name()));
        for (EchoServer.Kind kind : List.of(EchoServer.Kind.PLATFORM_THREADS, EchoServer.Kind.SELECTORS)) {
            servers.put(title(kind), NetServer.child(EchoServer.class, kind.name()));
        }
        if (NetServer.hasRedis()) {
            servers.put(EVERYSEC, NetServer.redis(Files.createDirectory(directory.resolve("everysec")), "everysec"));
            servers.put(ALWAYS, NetServer.redis(Files.createDirectory(directory.resolve("always")), "always"));
        } else {
            System.err.println("kvstore bench: Redis is left out: there is no redis-server on the PATH");
        }
    }

    private static String title(EchoServer.Kind kind) {
        return "echo, " + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Puts every entry once. */
    private void load() throws IOException, TException {
        Template ours = new ThriftCalls(LongUnaryOperator.identity(), value).write(LOAD_KEYS, Durability.BUFFERED);
        for (String name : List.of(OURS, OURS_SYNC)) {
            KVStoreService.Client client = client(name);
            client.createDatabase(ThriftCalls.TABLE.getDatabase());
            client.createTable(ThriftCalls.TABLE, engine, Map.of());
            load(name, new NetCase.Sent(ours, answerBytes(name, ours)), entries / LOAD_KEYS);
        }
        RedisCalls redis = new RedisCalls(LongUnaryOperator.identity(), value);
        for (String name : List.of(EVERYSEC, ALWAYS)) {
            if (servers.containsKey(name)) {
                NetCase.Sent sent = new NetCase.Sent(redis.set(LOAD_KEYS), RedisCalls.setAnswerBytes(LOAD_KEYS));
                load(name, sent, entries / LOAD_KEYS);
            }
        }
    }

    private void startCounters() throws IOException, TException {
        byte[] start = COUNTER_START.getBytes(StandardCharsets.US_ASCII);
        Template ours = new ThriftCalls(key -> COUNTER, start).put(Durability.BUFFERED);
        load(OURS, new NetCase.Sent(ours, answerBytes(OURS, ours)), 1);
        if (servers.containsKey(EVERYSEC)) {
            Template redis = new RedisCalls(key -> COUNTER, start).set(1);
            load(EVERYSEC, new NetCase.Sent(redis, RedisCalls.setAnswerBytes(1)), 1);
        }
    }

    private void load(String server, NetCase.Sent sent, long requests) throws IOException {
        try (EdgeLoad load = new EdgeLoad(address(server), 1, sent.template(), sent.answerBytes())) {
            load.run(requests);
        }
    }

    private InetSocketAddress address(String server) {
        NetServer known = servers.get(server);
        if (known == null) {
            throw new IllegalArgumentException("no server " + server);
        }
        return known.address();
    }

    private KVStoreService.Client client(String server) throws TException {
        InetSocketAddress address = address(server);
        TSocket socket = new TSocket(TConfiguration.DEFAULT, address.getHostString(), address.getPort(), 60_000);
        TFramedTransport transport = new TFramedTransport(socket);
        transport.open();
        return new KVStoreService.Client(new TBinaryProtocol(transport));
    }

    private List<NetCase> cases() throws IOException, TException {
        ThriftCalls calls = new ThriftCalls(this::any, value);
        RedisCalls redis = new RedisCalls(this::any, value);
        // asked first, because the key in a request that is tried has the number at the start, and then the value of a
        // put
        NetCase added = withRedis(
                EVERYSEC,
                thrift(ADD + " BUFFERED", 50, new ThriftCalls(key -> COUNTER, value).add(Durability.BUFFERED)),
                new RedisCalls(key -> COUNTER, value).incr(),
                RedisCalls.incrAnswerBytes(COUNTER_START.length()));
        List<NetCase> cases = new ArrayList<>();
        for (int connections : CONNECTIONS) {
            cases.add(thrift("get", connections, calls.get()));
            cases.add(thrift("put BUFFERED", connections, calls.put(Durability.BUFFERED)));
        }
        cases.add(withRedis(
                ALWAYS,
                thrift(OURS_SYNC, "put SYNC", 50, calls.put(Durability.SYNC)),
                redis.set(1),
                RedisCalls.setAnswerBytes(1)));
        cases.add(added);
        for (int keys : new int[] {16, 100}) {
            cases.add(withRedis(
                    EVERYSEC,
                    thrift("batch of " + keys + " put BUFFERED", 50, calls.write(keys, Durability.BUFFERED)),
                    redis.set(keys),
                    RedisCalls.setAnswerBytes(keys)));
            cases.add(withRedis(
                    EVERYSEC,
                    thrift("batch of " + keys + " get", 50, calls.multiGet(keys)),
                    redis.get(keys),
                    redis.getAnswerBytes(keys)));
        }
        for (int connections : new int[] {1, 16, 64, 256}) {
            cases.add(kinds(connections, calls.get()));
        }
        return cases;
    }

    /** The number of a random entry. The place of the key does not matter. */
    private long any(long key) {
        return ThreadLocalRandom.current().nextLong(entries);
    }

    private NetCase thrift(String name, int connections, Template template) throws IOException, TException {
        return thrift(OURS, name, connections, template);
    }

    private NetCase thrift(String ours, String name, int connections, Template template)
            throws IOException, TException {
        return NetCase.of(name, connections)
                .on(ours, new NetCase.Sent(template, answerBytes(ours, template)))
                .on(ECHO, new NetCase.Sent(template, answerBytes(ECHO, template)));
    }

    private NetCase withRedis(String server, NetCase one, Template template, long answerBytes) {
        return servers.containsKey(server) ? one.on(server, new NetCase.Sent(template, answerBytes)) : one;
    }

    /** A row that compares the library's servers. */
    private NetCase kinds(int connections, Template get) throws IOException, TException {
        NetCase one =
                NetCase.of("get from nothing", connections).on(ECHO, new NetCase.Sent(get, answerBytes(ECHO, get)));
        for (EchoServer.Kind kind : List.of(EchoServer.Kind.PLATFORM_THREADS, EchoServer.Kind.SELECTORS)) {
            one.on(title(kind), new NetCase.Sent(get, answerBytes(title(kind), get)));
        }
        return one;
    }

    /** Sends a request and checks the answer. Returns the length of the answer, including its frame's head. */
    private long answerBytes(String server, Template template) throws IOException, TException {
        InetSocketAddress address = address(server);
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(template.bytes());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] answer = in.readNBytes(in.readInt());
            ThriftCalls.check(answer, template.keys());
            return LENGTH_BYTES + (long) answer.length;
        }
    }

    private void measure(NetCase one, int warmUp, NetReport report) throws IOException {
        for (Map.Entry<String, NetCase.Sent> request : one.requests().entrySet()) {
            NetServer server = servers.get(request.getKey());
            NetCase.Sent sent = request.getValue();
            if (server == null) {
                continue;
            }
            try (EdgeLoad load =
                    new EdgeLoad(server.address(), one.connections(), sent.template(), sent.answerBytes())) {
                load.runFor(warmUp * 1_000L);
                double before = server.cpuSeconds();
                EdgeLoad.Result result = load.runFor(seconds * 1_000L);
                double cpuMicros = (server.cpuSeconds() - before) * 1e6 / result.requests();
                report.add(
                        one.title(), request.getKey(), result, sent.template().keys(), cpuMicros);
            }
        }
    }

    /**
     * Scans all entries by pages of 1,000, and reads pages of the same size from servers that have them ready. Each has the
     * whole warm-up in each round, because the puts of a round leave the values out of order, and the process of the bare
     * stream is new.
     */
    private void measureScans(NetReport report) throws IOException, TException {
        ScanReader.Times times = new ScanReader.Times(warmUpSeconds, seconds);
        ScanReader.Scanned ours = ScanReader.scan(address(OURS), times);
        try (NetServer stream = NetServer.child(BareStream.class, "" + ours.pageBytes())) {
            ScanReader.Scanned bare = ScanReader.stream(stream.address(), times);
            report.addRate(SCAN, OURS, ours.megabytesPerSecond());
            report.addRate(SCAN, ECHO, ScanReader.stream(address(ECHO), times).megabytesPerSecond());
            report.addRate(SCAN, STREAM, bare.megabytesPerSecond());
        }
    }
}
