package io.kvstore.cli.shell;

import io.kvstore.cli.arguments.Escapes;
import io.kvstore.cli.arguments.TextForm;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.ClientRange;
import io.kvstore.client.KVClient;
import io.kvstore.client.ScanOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Completes commands, options, databases, tables and keys. The store is asked for at most {@value #MOST_KEYS} keys and for
 * {@value #PATIENCE_MILLIS} ms; a store that is slower completes nothing.
 */
final class Completions implements Completer {

    private static final int MOST_KEYS = 50;
    private static final long PATIENCE_MILLIS = 250;

    /** Commands whose first argument is a key, or the beginning of one. */
    private static final Set<String> OF_KEYS = Set.of("get", "put", "del", "exists", "scan", "count", "add", "cas");

    private static final Set<String> OF_TABLES = Set.of("use", "table", "stats", "dump");
    private static final Set<String> TABLE_OPTIONS = Set.of("-t", "--table");

    private final Session session;
    private final Runner runner;

    Completions(Session session, Runner runner) {
        this.session = session;
        this.runner = runner;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        offers(line.words(), line.word()).forEach(candidates::add);
    }

    /**
     * What may stand at the end.
     *
     * @param words without quotes; the last one is to be completed
     * @param raw the last word as it was typed
     */
    List<Candidate> offers(List<String> words, String raw) {
        List<String> before = words.subList(0, words.size() - 1);
        if (!before.isEmpty() && before.getFirst().equals("watch")) {
            return offers(words.subList(1, words.size()), raw);
        }
        if (before.isEmpty()) {
            return Stream.concat(runner.all().getSubcommands().keySet().stream(), ShellWords.ALL.stream())
                    .map(Completions::whole)
                    .toList();
        }
        String command = before.getFirst();
        if (TABLE_OPTIONS.contains(before.getLast())) {
            return asked(client -> tables(client, raw));
        }
        CommandLine called = called(before);
        if (raw.startsWith("-") && called != null) {
            return called.getCommandSpec().optionsMap().keySet().stream()
                    .map(Completions::whole)
                    .toList();
        }
        if (called != null && !called.getSubcommands().isEmpty()) {
            return called.getSubcommands().keySet().stream()
                    .map(Completions::whole)
                    .toList();
        }
        if (OF_TABLES.contains(command)) {
            return asked(client -> tables(client, raw));
        }
        if (command.equals("db")) {
            return asked(client ->
                    client.databases().stream().map(Completions::whole).toList());
        }
        String database = session.place().database();
        String table = session.place().table();
        boolean isKey = OF_KEYS.contains(command) && before.size() == 1;
        return isKey && database != null && table != null
                ? asked(client -> keys(client, database, table, raw))
                : List.of();
    }

    /** The command, or the command of a group, that words begin with. */
    private @Nullable CommandLine called(List<String> before) {
        CommandLine found = runner.all().getSubcommands().get(before.getFirst());
        CommandLine inner = found == null || before.size() < 2
                ? null
                : found.getSubcommands().get(before.get(1));
        return inner == null ? found : inner;
    }

    private static Candidate whole(String text) {
        return new Candidate(text);
    }

    private static Candidate beginning(String text) {
        return new Candidate(text, text, null, null, null, null, false);
    }

    private List<Candidate> tables(KVClient client, String raw) {
        List<Candidate> found = new ArrayList<>();
        int slash = raw.indexOf('/');
        if (slash >= 0) {
            String database = raw.substring(0, slash);
            client.tables(database).forEach(table -> found.add(whole(database + "/" + table)));
            return found;
        }
        String current = session.place().database();
        if (current != null) {
            client.tables(current).forEach(table -> found.add(whole(table)));
        }
        client.databases().forEach(database -> found.add(beginning(database + "/")));
        return found;
    }

    private static List<Candidate> keys(KVClient client, String database, String table, String raw) {
        List<String> words = Words.of(raw).words();
        byte[] prefix = TextForm.ESCAPED.bytes(words.isEmpty() ? "" : words.getLast());
        ScanOptions options =
                ScanOptions.of(ClientRange.prefix(prefix)).withoutValues().withLimit(MOST_KEYS);
        return client.table(database, table).page(options).entries().stream()
                .map(entry -> whole(typed(entry.key(), raw.startsWith("\""))))
                .toList();
    }

    /** A key as it is typed. */
    private static String typed(byte[] key, boolean isQuoted) {
        String text = Escapes.text(key).replace("\"", "\\\"");
        return isQuoted ? "\"" + text + "\"" : text.replace("'", "\\'").replace(" ", "\\ ");
    }

    /** Asks the store. Completion is a help, so a store that fails or is slow offers nothing. */
    private List<Candidate> asked(Function<KVClient, List<Candidate>> question) {
        try {
            KVClient client = session.client(new TargetOptions());
            return CompletableFuture.supplyAsync(() -> question.apply(client))
                    .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException | CommandFailure e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
