package io.kvstore.cli.session;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.cli.arguments.TextForm;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.http.HttpApiClient;
import io.kvstore.cli.session.Profiles.Profile;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.KVClient;
import io.kvstore.client.embedded.EmbeddedClient;
import io.kvstore.error.StoreLockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings that commands share: the store and the table on which they work. A command of its own has a session of its
 * own; all commands of a shell have one together. A connection is made, or a store opened, for the first command that needs
 * it. For use by one thread.
 */
public final class Session implements AutoCloseable {

    private static final String CONFIG = ".config/kvstore/config.toml";

    private final Console console;
    private final Map<String, String> environment;
    private @Nullable Connection connection;
    private @Nullable Profile profile;
    private Place place = Place.NONE;
    private @Nullable OutputForm form;
    private boolean isShell;
    private Asker asker;

    /** Asks a person for a line. */
    @FunctionalInterface
    public interface Asker {
        /** Returns null if the person gave none. */
        @Nullable
        String ask(String question);
    }

    /** A client, with the one over HTTP below it if it is one, and the store below it if it is one of this process. */
    private record Connection(
            KVClient client,
            @Nullable HttpApiClient http,
            @Nullable KVStore store,
            String where,
            boolean isReadOnly) {}

    /** @param environment the variables of the process */
    public Session(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
        this.asker = new Questions(console)::ask;
    }

    public Console console() {
        return console;
    }

    /** The variables of the process. */
    public Map<String, String> environment() {
        return environment;
    }

    /** From now on the commands are those of a shell. */
    public void beginShell(Asker newAsker) {
        isShell = true;
        asker = newAsker;
    }

    public boolean isShell() {
        return isShell;
    }

    /** How keys and values of the command line are written if no option says it. */
    public TextForm usualText() {
        return isShell ? TextForm.ESCAPED : TextForm.UTF8;
    }

    /** The form of output that was chosen for all commands, or null. */
    public @Nullable OutputForm form() {
        return form;
    }

    public void setForm(@Nullable OutputForm newForm) {
        form = newForm;
    }

    /** The database and the table that are meant if none is named. */
    public Place place() {
        return place;
    }

    public void setPlace(Place newPlace) {
        place = newPlace;
    }

    @Nullable
    String ask(String question) {
        return asker.ask(question);
    }

    /** A client of the store that is meant, which must be there. */
    public KVClient client(TargetOptions given) {
        return open(given, false).client();
    }

    /** As {@link #client}, but a directory that is missing or empty becomes a store. */
    public KVClient creatingClient(TargetOptions given) {
        if (given.isReadOnly()) {
            throw ReadOnlyClient.refusal();
        }
        return open(given, true).client();
    }

    /** Refuses a command that writes if this is the session of a shell that only reads. */
    public void requireWritable() {
        Connection open = connection;
        if (open != null && open.isReadOnly()) {
            throw ReadOnlyClient.refusal();
        }
    }

    /** The store of {@link #client} if it is one of this process, and null otherwise. */
    public @Nullable KVStore store(TargetOptions given) {
        return open(given, false).store();
    }

    /** The client over HTTP if that is how the store is reached, and null otherwise. It is for reading alone. */
    public @Nullable HttpApiClient http(TargetOptions given) {
        return open(given, false).http();
    }

    /** Where commands work, for people. */
    public String where(TargetOptions given) {
        return open(given, false).where();
    }

    private Connection open(TargetOptions given, boolean mayCreate) {
        Connection open = connection;
        if (open == null) {
            Meant meant = meant(given);
            open = switch (meant.target()) {
                case Target.Server server -> {
                    requireUsed(given, server);
                    yield server(server, secured(server, given, meant.profile()));
                }
                case Target.Directory directory -> {
                    requireUsed(given, directory);
                    yield directory(directory.path(), mayCreate, given.isReadOnly());
                }
            };
            if (given.isReadOnly()) {
                open = new Connection(ReadOnlyClient.of(open.client()), open.http(), open.store(), open.where(), true);
            }
            connection = open;
        } else if (isShell && given.isAnyGiven()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "this shell works on " + open.where() + "; leave --url, --profile, --token-file, --ca-file and"
                            + " --read-only out, or begin another shell with them");
        }
        return open;
    }

    private static Connection server(Target.Server server, ClientOptions options) {
        HttpApiClient http = server.isHttp() ? HttpApiClient.of(options) : null;
        KVClient client = http != null ? http : KVClient.connect(options);
        return new Connection(client, http, null, server.url(), false);
    }

    /**
     * Where commands work.
     *
     * @param profile has the token and the certificates for it, if it has any
     */
    private record Meant(Target target, Profile profile) {}

    /** A token goes to the server of its profile alone, unless the command line names both the profile and a URL. */
    private Meant meant(TargetOptions given) {
        if (given.url() != null) {
            Target target = Target.parse(given.url(), "--url");
            if (target instanceof Target.Server server && server.options().token() != null) {
                throw new CommandFailure(
                        ExitStatus.USAGE,
                        "--url has a token, which others on this machine can read there; put it into KVSTORE_TOKEN, or"
                                + " into a file that --token-file names");
            }
            return new Meant(target, given.profile() == null ? Profile.NONE : profile(given));
        }
        String ofEnvironment = environment.get("KVSTORE_URL");
        if (ofEnvironment != null && given.profile() == null) {
            return new Meant(Target.parse(ofEnvironment, "KVSTORE_URL"), Profile.NONE);
        }
        Profile used = profile(given);
        return new Meant(
                used.url() == null ? Target.parse(Target.DEFAULT, "") : Target.parse(used.url(), used.source()), used);
    }

    private Profile profile(TargetOptions given) {
        Profile used = profile;
        if (used == null) {
            String wanted = given.profile() != null ? given.profile() : environment.get("KVSTORE_PROFILE");
            used = profile(wanted, environment.get("HOME"));
            profile = used;
        }
        return used;
    }

    private static Profile profile(@Nullable String wanted, @Nullable String home) {
        if (home != null) {
            return Profiles.read(Path.of(home).resolve(CONFIG), wanted);
        }
        if (wanted != null) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "the profile " + wanted + " is looked for in ~/" + CONFIG + ", and HOME is not set; set it, or give"
                            + " --url");
        }
        return Profile.NONE;
    }

    /** Refuses an option that the target cannot use, because the user relies on the option. */
    private static void requireUsed(TargetOptions given, Target.Server server) {
        if (given.caFile() != null && !server.options().tls()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--ca-file: the connection to " + server.url() + " has no TLS; give " + server.scheme()
                            + "s://HOST:PORT, or leave --ca-file out");
        }
    }

    private static void requireUsed(TargetOptions given, Target.Directory directory) {
        String unused = given.caFile() != null ? "--ca-file" : given.tokenFile() != null ? "--token-file" : null;
        if (unused != null) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    unused + ": " + directory.path() + " is the directory of a store and no server; leave " + unused
                            + " out");
        }
    }

    /** The options of a server, with the token and the trust that belong to it. */
    private ClientOptions secured(Target.Server server, TargetOptions given, Profile used) {
        ClientOptions options = server.options();
        String token = environment.get("KVSTORE_TOKEN");
        if (given.tokenFile() != null) {
            options = options.withToken(token(given.tokenFile(), "--token-file"));
        } else if (token != null) {
            options = options.withToken(token);
        } else if (used.tokenFile() != null) {
            options = options.withToken(token(used.tokenFile(), used.source()));
        }
        if (!options.tls()) {
            return options;
        }
        String caFile = environment.get("KVSTORE_CA_FILE");
        if (given.caFile() != null) {
            return options.withSslContext(Trust.of(given.caFile(), "--ca-file"));
        }
        if (caFile != null) {
            return options.withSslContext(Trust.of(Path.of(caFile), "KVSTORE_CA_FILE"));
        }
        return used.caFile() == null ? options : options.withSslContext(Trust.of(used.caFile(), used.source()));
    }

    private static String token(Path file, String source) {
        try (Stream<String> lines = Files.lines(file)) {
            String token = lines.findFirst().orElse("").strip();
            if (!token.isEmpty()) {
                return token;
            }
        } catch (IOException | UncheckedIOException e) { // a directory is no file of lines
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, source + ": " + file + " cannot be read; give a file that has the token");
        }
        throw new CommandFailure(ExitStatus.USAGE, source + ": the first line of " + file + " has no token");
    }

    private static Connection directory(Path path, boolean mayCreate, boolean isReadOnly) {
        if (Files.exists(path) && !Files.isDirectory(path)) {
            throw new CommandFailure(ExitStatus.USAGE, path + " is no directory; give the directory of a store");
        }
        if (!mayCreate && isVacant(path)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "there is no store in " + path + "; 'kvstore db create NAME --url " + path + "' makes one");
        }
        try {
            KVStore store = new KVStore(path, KVStoreOptions.defaults().withReadOnly(isReadOnly));
            return new Connection(EmbeddedClient.over(store), null, store, path.toString(), isReadOnly);
        } catch (StoreLockedException e) {
            throw new CommandFailure(
                    ExitStatus.UNAVAILABLE,
                    e.getMessage() + "; the store of a server is reached with its URL, such as --url "
                            + Target.DEFAULT);
        }
    }

    private static boolean isVacant(Path path) {
        if (!Files.isDirectory(path)) {
            return true;
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.findFirst().isEmpty();
        } catch (IOException e) {
            throw new CommandFailure(ExitStatus.ERROR, path + " cannot be read: " + e);
        }
    }

    /**
     * The table that was named, or else the one that is meant.
     *
     * @param target says which profile is asked
     */
    public TableName table(@Nullable String given, TargetOptions target) {
        String name = given != null ? given : place.table();
        if (name == null) {
            name = environment.get("KVSTORE_TABLE");
        }
        if (name == null && !isShell) {
            name = profile(target).table();
        }
        if (name == null) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "no table is named; give -t DB/TABLE" + (isShell ? ", or 'use DB/TABLE'" : ", or KVSTORE_TABLE"));
        }
        return TableName.parse(name, place.database());
    }

    /** The database of an argument, or else the one that is meant. */
    public String database(@Nullable String argument) {
        String name = argument != null ? argument : place.database();
        if (name == null) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "no database is named; give it" + (isShell ? ", or 'use DB'" : " as DB"));
        }
        return Names.checked("database", name);
    }

    @Override
    public void close() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try (KVStore _ = open.store()) {
                open.client().close();
            }
        }
    }
}
