package io.kvstore.bench.behaviour;

import io.kvstore.bench.measure.Document;
import io.kvstore.bench.measure.Machine;
import io.kvstore.bench.measure.Place;
import io.kvstore.bench.measure.WorkDirectory;
import io.kvstore.bench.store.Shape;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the time until the server prints its ready line, on an empty directory and after a kill that leaves a log to replay.
 */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        description = "Time from './kvstore server' to its ready line: empty, and after kill -9 with entries in the log"
                + " only.")
public final class StartCommand implements Callable<Integer> {

    private static final Pattern READY = Pattern.compile("ready http=(\\S+) .*");
    private static final String TABLE = "/v1/databases/bench/tables/entries";

    /** The bytes of an entry in the log beside its value. */
    private static final int ENTRY_BYTES = Shape.WIDE.keyBytes() + 8;

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "How often each is measured. Default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(names = "--log-mib", defaultValue = "256", description = "Log to replay, in MiB. Default: ${DEFAULT-VALUE}")
    private int logMib;

    @Option(names = "--launcher", defaultValue = "./kvstore", description = "The launcher. Default: ${DEFAULT-VALUE}")
    private Path launcher = Path.of("kvstore");

    @Mixin
    private Place place = new Place();

    @Mixin
    private Document document = new Document();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public Integer call() throws IOException, InterruptedException {
        document.requirePositive("--rounds", rounds);
        document.requirePositive("--log-mib", logMib);
        List<Double> empty = new ArrayList<>();
        List<Double> replaying = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            if (round == 1) {
                // The first round builds the server and brings its classes into memory.
                empty.clear();
                replaying.clear();
            }
            try (WorkDirectory data = WorkDirectory.in(place.directory())) {
                int entries;
                try (Server first = start(data.path())) {
                    empty.add(first.seconds());
                    entries = fill(first);
                }
                try (Server second = start(data.path())) {
                    replaying.add(second.seconds());
                    checkCount(second, entries);
                }
            }
        }
        document.print(
                "Start of the server",
                Machine.lines(),
                List.of(
                        "",
                        line("empty directory", empty),
                        line("after kill -9, " + logMib + " MiB of log", replaying)));
        return 0;
    }

    private void checkCount(Server server, int entries) throws IOException, InterruptedException {
        String counted = send(server, "GET", TABLE + "/count", BodyPublishers.noBody());
        if (!counted.contains(":" + entries)) {
            throw new IOException("of " + entries + " acknowledged entries came back: " + counted);
        }
    }

    private static String line(String what, List<Double> seconds) {
        Collections.sort(seconds);
        return String.format(
                Locale.ROOT,
                "- %s: median %.2f s, %.2f to %.2f s",
                what,
                seconds.get(seconds.size() / 2),
                seconds.getFirst(),
                seconds.getLast());
    }

    /** A server that printed its ready line. Closing kills it like {@code kill -9}. */
    private record Server(Process process, String address, double seconds) implements AutoCloseable {
        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }

    private Server start(Path data) throws IOException {
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(
                        launcher.toString(),
                        "server",
                        "--data",
                        data.toString(),
                        "--http-port",
                        "0",
                        "--thrift-port",
                        "0",
                        "--memory",
                        "2G")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher ready = READY.matcher(line);
            if (ready.matches()) {
                return new Server(process, ready.group(1), (System.nanoTime() - begin) / 1e9);
            }
        }
        process.destroyForcibly();
        throw new IOException("the server ended before it was ready");
    }

    /** Loads entries that stay in the memtable, so that all of them must be replayed. Returns their number. */
    private int fill(Server server) throws IOException, InterruptedException {
        send(server, "PUT", "/v1/databases/bench", BodyPublishers.noBody());
        String table = "{\"engine\":\"lsm\",\"options\":{\"MEM_CACHE_SIZE\":1073741824}}";
        send(server, "PUT", TABLE, BodyPublishers.ofString(table));
        int entries = (int) (((long) logMib << 20) / (ENTRY_BYTES + Shape.WIDE.valueBytes()));
        String value = "v".repeat(Shape.WIDE.valueBytes());
        Iterable<byte[]> body = () -> IntStream.range(0, entries)
                .mapToObj(i -> String.format(Locale.ROOT, "{\"key\":\"key%09d\",\"value\":\"%s\"}%n", i, value)
                        .getBytes(StandardCharsets.UTF_8))
                .iterator();
        send(server, "POST", TABLE + "/import", BodyPublishers.ofByteArrays(body));
        return entries;
    }

    private String send(Server server, String method, String path, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + server.address() + path))
                .method(method, body)
                .build();
        var answer = client.send(request, BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(method + " " + path + ": " + answer.body());
        }
        return answer.body();
    }
}
