package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvstore.cli.CommandRun.Streams;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that commands work on, with a database for the test alone: on a server, or in a directory. */
final class TestTarget {

    /** The kinds, for tests that run on both. */
    static final String SERVER = "server";

    static final String DIRECTORY = "directory";

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String url;
    private final String database = "d" + DATABASES.incrementAndGet();

    private TestTarget(String url) {
        this.url = url;
    }

    /** Makes the database, and a table {@code t} of an engine in it. */
    static TestTarget of(String kind, Path temp, String engine) {
        TestTarget target = new TestTarget(
                kind.equals(SERVER)
                        ? TestServer.shared().url()
                        : temp.resolve("store").toString());
        target.run("db", "create", target.database).good();
        target.run("table", "create", target.table(), "--engine", engine).good();
        return target;
    }

    String url() {
        return url;
    }

    String database() {
        return database;
    }

    String table() {
        return database + "/t";
    }

    Map<String, String> environment() {
        return new HashMap<>(Map.of("KVSTORE_URL", url, "KVSTORE_TABLE", table()));
    }

    /** Runs a command for the table {@code t}. */
    CommandRun run(String... arguments) {
        return with(new byte[0], arguments);
    }

    CommandRun with(String input, String... arguments) {
        return with(input.getBytes(UTF_8), arguments);
    }

    CommandRun with(byte[] input, String... arguments) {
        return CommandRun.in(environment(), Streams.of(input), arguments);
    }

    /** Runs a command at a terminal. */
    CommandRun typed(String input, String... arguments) {
        return CommandRun.in(environment(), Streams.typed(input), arguments);
    }
}
