package io.kvstore.server;

import io.kvstore.KVStoreOptions;
import io.kvstore.MemoryOptions;
import io.kvstore.data.Durability;
import io.kvstore.error.KVStoreException;
import io.kvstore.server.edge.Access;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.Reasons;
import io.kvstore.server.http.HttpConfig;
import io.kvstore.server.thrift.ThriftConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reads the options of the command line. Reports a failure at the start in one line. */
@Command(
        name = "kvstore server",
        mixinStandardHelpOptions = true,
        versionProvider = ServerCommand.Version.class,
        sortOptions = false,
        description = "Serves a KVStore data directory over HTTP and Thrift. SIGTERM stops it and loses nothing.")
final class ServerCommand implements Callable<Integer> {

    private static final long MAX_VALUE_BYTES = 16L << 20;
    private static final String DATA = "--data";
    private static final String DEFAULT_DATA = "./kvstore-data";
    private static final String SLOW_CLIENTS = "--slow-client-seconds";
    private static final String BACKUPS = "--backups";
    private static final String IN_MEMORY = "--in-memory";
    private static final String IN_MEMORY_LIMIT = "--in-memory-limit";
    private static final long LEAST_IN_MEMORY_MIB = 1;
    private static final long LEAST_MEMORY_MIB = 8;
    private static final String CREATE_TOKENS = "--create-token-file";
    private static final String INSECURE = "--insecure-allow-remote";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = DATA,
            paramLabel = "DIR",
            description = "The data directory; created if missing. Default: " + DEFAULT_DATA)
    private @Nullable Path data;

    @Option(
            names = BACKUPS,
            paramLabel = "DIR",
            description = "Make backups of the store in this directory when a client asks: POST /v1/backups")
    private @Nullable Path backups;

    @Option(
            names = IN_MEMORY,
            description = "Keep everything in memory beside the heap, instead of in --data. Nothing survives a stop.")
    private boolean inMemory;

    @Option(
            names = IN_MEMORY_LIMIT,
            paramLabel = "BYTES",
            description =
                    "With --in-memory: the most bytes of the store's files, such as 512M or 2G, beside those of --memory;"
                            + " writes beyond it are refused. Default: half of what is free")
    private @Nullable String inMemoryLimit;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "The address to listen at; a loopback address. Default: ${DEFAULT-VALUE}")
    private String host = "127.0.0.1";

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "The port for HTTP; 0 takes any free port. Default: ${DEFAULT-VALUE}")
    private int httpPort;

    @Option(
            names = "--thrift-port",
            paramLabel = "PORT",
            defaultValue = "9090",
            description = "The port for Thrift; 0 takes any free port. Default: ${DEFAULT-VALUE}")
    private int thriftPort;

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description = "What an acknowledged write survives: sync, a power loss; buffered, kill -9. Default: sync")
    private @Nullable String durability;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "Memory of all tables beside the heap, such as 512M or 2G; 0 means a quarter of what is free."
                    + " Default: ${DEFAULT-VALUE}")
    private String memory = "0";

    @Option(
            names = "--stop-seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long requests in flight may take after SIGTERM. Default: ${DEFAULT-VALUE}")
    private int stopSeconds;

    @Option(
            names = SLOW_CLIENTS,
            paramLabel = "N",
            defaultValue = "" + HttpConfig.BEHIND_SECONDS,
            description =
                    "How far an HTTP client that sends or takes a stream may be behind 1 KiB a second before it ends."
                            + " Default: ${DEFAULT-VALUE}")
    private int slowClientSeconds;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Ask every client for a token of this file, one a line. The file has to be there.")
    private @Nullable Path tokenFile;

    @Option(names = CREATE_TOKENS, description = "Write --token-file with a new random token if it is not there.")
    private boolean createTokenFile;

    @Option(
            names = "--tls-keystore",
            paramLabel = "FILE",
            description = "Encrypt both ports (TLS) with the key and certificate of this PKCS #12 file.")
    private @Nullable Path tlsKeyStore;

    @Option(
            names = "--tls-password-file",
            paramLabel = "FILE",
            description = "The file with the password of --tls-keystore.")
    private @Nullable Path tlsPasswordFile;

    @Option(
            names = INSECURE,
            description = "Listen at an address that other machines reach, without authentication and encryption.")
    private boolean insecureAllowRemote;

    private final Serving serving;
    private final PrintStream out;
    private final PrintStream errors;

    /** Serves until the end. */
    @FunctionalInterface
    interface Serving {
        int serve(ServerConfig config, PrintStream out) throws BindException, InterruptedException;
    }

    ServerCommand(Serving serving, PrintStream out, PrintStream errors) {
        this.serving = serving;
        this.out = out;
        this.errors = errors;
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            return serving.serve(config(), out);
        } catch (BindException e) {
            return fail("cannot listen at " + host + " " + e.getMessage() + "; stop what uses it or give another port");
        } catch (KVStoreException | ProblemException | UncheckedIOException e) {
            return fail(message(e));
        }
    }

    /** The message with the reason in words in place of the name of a class. */
    private static String message(RuntimeException e) {
        String message = String.valueOf(e.getMessage());
        return e.getCause() instanceof IOException cause
                ? message.replace(cause.toString(), Reasons.of(cause))
                : message;
    }

    private int fail(String message) {
        errors.println("kvstore: " + message.replace('\n', ' '));
        return CommandLine.ExitCode.SOFTWARE;
    }

    private ServerConfig config() {
        checkPort("--http-port", httpPort);
        checkPort("--thrift-port", thriftPort);
        if (httpPort != 0 && httpPort == thriftPort) {
            throw usage("--http-port and --thrift-port are both " + httpPort);
        }
        if (stopSeconds < 0 || stopSeconds > 3_600) {
            throw usage("--stop-seconds is " + stopSeconds + "; give 0 to 3600");
        }
        if (slowClientSeconds < 1 || slowClientSeconds > 86_400) {
            throw usage(SLOW_CLIENTS + " is " + slowClientSeconds + "; give 1 to 86400");
        }
        checkPlace();
        if (backups != null && Files.exists(backups) && !Files.isDirectory(backups)) {
            throw usage(BACKUPS + " is " + backups + ", which is no directory; give one, or the name of a new one");
        }
        KVStoreOptions options = KVStoreOptions.defaults()
                .withDurability(level())
                .withMaxValueBytes(MAX_VALUE_BYTES)
                .withMemoryBytes(bytes("--memory", memory, LEAST_MEMORY_MIB))
                .withMemoryStorageBytes(
                        inMemoryLimit == null ? 0 : bytes(IN_MEMORY_LIMIT, inMemoryLimit, LEAST_IN_MEMORY_MIB));
        InetAddress address = address();
        checkSafe(address);
        SSLContext tls = tls();
        HttpConfig http = HttpConfig.at(address, httpPort).withTls(tls).withBehindSeconds(slowClientSeconds);
        return new ServerConfig(
                inMemory ? null : data != null ? data : Path.of(DEFAULT_DATA),
                backups,
                options,
                address.isLoopbackAddress() ? http : http.withAnyHost(),
                ThriftConfig.at(address, thriftPort).withTls(tls),
                access(),
                Version.text(),
                stopSeconds * 1_000L);
    }

    private Access access() {
        if (tokenFile == null) {
            if (createTokenFile) {
                throw usage(CREATE_TOKENS + " needs --token-file, which names the file");
            }
            return Access.open();
        }
        if (createTokenFile && Access.createTokens(tokenFile)) {
            errors.println("kvstore: wrote a new token to " + tokenFile + "; clients send it as it stands there");
        }
        return Access.byTokensOf(tokenFile);
    }

    private InetAddress address() {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw usage("--host is \"" + host + "\", which has no address");
        }
    }

    private @Nullable SSLContext tls() {
        if ((tlsKeyStore == null) != (tlsPasswordFile == null)) {
            throw usage("--tls-keystore and --tls-password-file need each other");
        }
        return tlsKeyStore == null || tlsPasswordFile == null ? null : TlsKeys.read(tlsKeyStore, tlsPasswordFile);
    }

    /** Refuses to serve other machines without tokens and encryption, unless an option allows it. */
    private void checkSafe(InetAddress address) {
        if (address.isLoopbackAddress() || (tokenFile != null && tlsKeyStore != null)) {
            return;
        }
        if (!insecureAllowRemote) {
            throw usage(
                    "--host " + host + " is not a loopback address: give --token-file and --tls-keystore as well, or "
                            + INSECURE + " if everyone who reaches the port may do everything");
        }
        errors.println(
                "kvstore: " + INSECURE + " is set: everyone who reaches " + host + " can read and change all data");
    }

    /** Refuses options that say two things of where the data is, and how safe. */
    private void checkPlace() {
        if (inMemory && data != null) {
            throw usage(
                    DATA + " and " + IN_MEMORY + " are both given; a store is in a directory or in memory: give one");
        }
        if (inMemory && backups != null) {
            throw usage(BACKUPS + " and " + IN_MEMORY + " are both given; a store in memory has no backups: give one");
        }
        if (inMemory && durability != null) {
            throw usage("--durability and " + IN_MEMORY + " are both given; in memory no write survives the process:"
                    + " leave --durability out");
        }
        if (!inMemory && inMemoryLimit != null) {
            throw usage(IN_MEMORY_LIMIT + " is given without " + IN_MEMORY + "; give both or none");
        }
    }

    private Durability level() {
        if (durability == null) {
            return Durability.SYNC;
        }
        return switch (durability.toLowerCase(Locale.ROOT)) {
            case "sync" -> Durability.SYNC;
            case "buffered" -> Durability.BUFFERED;
            default -> throw usage("--durability is \"" + durability + "\"; give sync or buffered");
        };
    }

    /** The bytes that an option gives; 0 stands for the default. */
    private long bytes(String name, String given, long leastMib) {
        Matcher size = Pattern.compile("([0-9]{1,12})([KMG]?)").matcher(given.toUpperCase(Locale.ROOT));
        if (!size.matches()) {
            throw usage(name + " is \"" + given + "\"; give bytes, or a number with K, M or G");
        }
        int shift = size.group(2).isEmpty() ? 0 : 10 * (1 + "KMG".indexOf(size.group(2)));
        long number = Long.parseLong(size.group(1));
        long most = MemoryOptions.mostBytes();
        if (number > most >> shift) {
            throw usage(name + " is " + given + "; this machine has " + (most >> 20)
                    + "M beside the heap, give 0 or at most that");
        }
        long bytes = number << shift;
        if (bytes != 0 && bytes < leastMib << 20) {
            throw usage(name + " is " + given + "; give 0 or at least " + leastMib + "M");
        }
        return bytes;
    }

    private void checkPort(String name, int port) {
        if (port < 0 || port > 65_535) {
            throw usage(name + " is " + port + "; give 0 to 65535");
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec == null ? new CommandLine(this) : spec.commandLine(), message);
    }

    /** The version of the build. */
    static final class Version implements CommandLine.IVersionProvider {

        static String text() {
            Properties properties = new Properties();
            try (InputStream in = ServerCommand.class.getResourceAsStream("version.properties")) {
                if (in != null) {
                    properties.load(in);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("version.properties cannot be read", e);
            }
            return properties.getProperty("version", "unknown");
        }

        @Override
        public String[] getVersion() {
            return new String[] {"kvstore " + text()};
        }
    }
}
