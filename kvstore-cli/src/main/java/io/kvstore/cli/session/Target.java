package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.error.KVClientException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/** Where a command works. */
sealed interface Target {

    String THRIFT = "thrift";
    String HTTP = "http";
    String FILE = "file:";
    Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");
    String DEFAULT = "thrift://localhost:9090";
    String FORMS = "thrift://HOST:PORT, thrifts://HOST:PORT, http://HOST:PORT, https://HOST:PORT, or the directory of"
            + " a store, such as ./data";

    /**
     * A server.
     *
     * @param scheme the protocol, as a URL names it, without TLS
     * @param url for people, without a token
     */
    record Server(ClientOptions options, String scheme, String url) implements Target {

        /** Whether the server is asked over its HTTP API. */
        boolean isHttp() {
            return scheme.equals(HTTP);
        }
    }

    /** The directory of a store. */
    record Directory(Path path) implements Target {}

    /**
     * Reads a URL or a path.
     *
     * @param source the option, variable or file that has it, for messages
     */
    static Target parse(String given, String source) {
        int end = given.indexOf("://");
        if (end < 0 && given.startsWith(FILE)) { // as some programs write the URL of a file
            return new Directory(path(given.substring(FILE.length()), source));
        }
        if (end < 0) {
            return directory(given, source);
        }
        String rest = given.substring(end + 3);
        return switch (given.substring(0, end).toLowerCase(Locale.ROOT)) {
            case "thrift", "kvstore" -> server("kvstore://" + rest, THRIFT, source);
            case "thrifts", "kvstores" -> server("kvstores://" + rest, THRIFT, source);
            case HTTP -> server("kvstore://" + withPort(rest, 80), HTTP, source);
            case "https" -> server("kvstores://" + withPort(rest, 443), HTTP, source);
            case "file" -> new Directory(path(rest, source));
            default -> throw bad(source, "\"" + given.substring(0, end) + "\" is no scheme; give " + FORMS);
        };
    }

    /** The part of a URL behind its scheme, with the port that the scheme has if none is named. */
    private static String withPort(String rest, int usual) {
        int end = 0;
        while (end < rest.length() && rest.charAt(end) != '/' && rest.charAt(end) != '?') {
            end++;
        }
        String authority = rest.substring(0, end);
        boolean isNamed = authority.lastIndexOf(':') > authority.lastIndexOf(']');
        return authority.isEmpty() || isNamed ? rest : authority + ":" + usual + rest.substring(end);
    }

    private static Target server(String url, String scheme, String source) {
        ClientOptions options;
        try {
            options = ClientOptions.parse(url);
        } catch (KVClientException e) {
            throw bad(source, String.valueOf(e.getMessage()).replace("kvstore", scheme));
        }
        String host = options.host().indexOf(':') < 0 ? options.host() : "[" + options.host() + "]";
        String shown = scheme + (options.tls() ? "s://" : "://") + host + ":" + options.port();
        return new Server(options, scheme, shown);
    }

    /** A path must look like one, or be there: a host without a scheme must not become the name of a new directory. */
    private static Target directory(String given, String source) {
        Path path = path(given, source);
        boolean isPlain = path.getNameCount() < 2 && !path.isAbsolute() && !given.startsWith(".");
        if ((isPlain || SCHEME.matcher(given).matches()) && !Files.isDirectory(path)) {
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
