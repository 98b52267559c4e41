package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.error.KVClientException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/** Where a command works. */
sealed interface Target {

    String DEFAULT = "thrift://localhost:9090";
    String FORMS = "thrift://HOST:PORT, thrifts://HOST:PORT or the directory of a store, such as ./data";

    /**
     * A server.
     *
     * @param url for people, without a token
     */
    record Server(ClientOptions options, String url) implements Target {}

    /** The directory of a store. */
    record Directory(Path path) implements Target {}

    /**
     * Reads a URL or a path.
     *
     * @param source the option, variable or file that has it, for messages
     */
    static Target parse(String given, String source) {
        int end = given.indexOf("://");
        if (end < 0) {
            return directory(given, source);
        }
        String rest = given.substring(end + 3);
        return switch (given.substring(0, end).toLowerCase(Locale.ROOT)) {
            case "thrift", "kvstore" -> server("kvstore://" + rest, source);
            case "thrifts", "kvstores" -> server("kvstores://" + rest, source);
            case "file" -> new Directory(path(rest, source));
            case "http", "https" ->
                throw bad(source, "the command line speaks Thrift: give thrift://HOST:PORT, or thrifts:// for TLS");
            default -> throw bad(source, "\"" + given.substring(0, end) + "\" is no scheme; give " + FORMS);
        };
    }

    private static Target server(String url, String source) {
        ClientOptions options;
        try {
            options = ClientOptions.parse(url);
        } catch (KVClientException e) {
            throw bad(source, String.valueOf(e.getMessage()).replace("kvstore", "thrift"));
        }
        String host = options.host().indexOf(':') < 0 ? options.host() : "[" + options.host() + "]";
        return new Server(options, (options.tls() ? "thrifts://" : "thrift://") + host + ":" + options.port());
    }

    /** A path must look like one, or be there: a host without a scheme must not become the name of a new directory. */
    private static Target directory(String given, String source) {
        Path path = path(given, source);
        if (path.getNameCount() < 2 && !path.isAbsolute() && !given.startsWith(".") && !Files.isDirectory(path)) {
            throw bad(source, "\"" + given + "\" is neither a URL nor a directory; give " + FORMS);
        }
        return new Directory(path);
    }

    private static Path path(String given, String source) {
        try {
            if (!given.isEmpty()) {
                return Path.of(given);
            }
        } catch (InvalidPathException e) {
            throw bad(source, "\"" + given + "\" is no path; give " + FORMS);
        }
        throw bad(source, "it is empty; give " + FORMS);
    }

    private static CommandFailure bad(String source, String message) {
        return new CommandFailure(ExitStatus.USAGE, source + ": " + message);
    }
}
