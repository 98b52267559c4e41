package io.kvstore.cli.shell;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Failures;
import io.kvstore.cli.session.Names;
import io.kvstore.cli.session.OutputForm;
import io.kvstore.cli.session.Place;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.KVClient;
import io.kvstore.client.error.NotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs lines. Commands of the shell itself are run here, all others by the runner. For use by one thread. */
final class Shell {

    private static final int DEEPEST_READ = 10;
    private static final Map<String, List<String>> OTHER_NAMES = Map.of(
            "help", List.of(".help"),
            "exit", List.of(".quit"),
            "quit", List.of(".quit"),
            ".exit", List.of(".quit"),
            ".tables", List.of("table", "list"),
            ".databases", List.of("db", "list"));

    private final Session session;
    private final Console console;
    private final Runner runner;
    private final Failures failures;
    private boolean isTiming;
    private boolean isEnded;
    private int readDepth;

    Shell(Session session, Runner runner) {
        this.session = session;
        this.console = session.console();
        this.runner = runner;
        this.failures = new Failures(console);
    }

    /**
     * Runs all lines; returns the status of the first that failed. Ctrl-C ends lines that nobody types, also between two of
     * them.
     *
     * @param keepsGoing whether lines behind that one are run, too
     */
    int run(Lines lines, boolean keepsGoing) {
        int first = ExitStatus.OK;
        while (!isEnded) {
            String line = lines.next(prompt());
            if (line == null) {
                break;
            }
            int status = run(line);
            if (console.interruption().isAsked() && lines.isEndedByInterrupt()) {
                console.tell("kvstore: stopped " + (status == ExitStatus.OK ? "behind " : "at ") + lines.place());
                return ExitStatus.INTERRUPTED;
            }
            if (status != ExitStatus.OK && !keepsGoing) {
                console.tell("kvstore: stopped at " + lines.place());
                return status;
            }
            console.interruption().clear();
            first = first == ExitStatus.OK ? status : first;
        }
        return first;
    }

    private String prompt() {
        Place place = session.place();
        if (place.database() == null) {
            return "kvstore> ";
        }
        return "kvstore " + place.database() + (place.table() == null ? "" : "/" + place.table()) + "> ";
    }

    private int run(String line) {
        Words words = Words.of(line);
        if (words.words().isEmpty() || line.strip().startsWith("#")) {
            return ExitStatus.OK;
        }
        long start = console.nanos();
        boolean isTimed = isTiming;
        int status;
        try {
            if (words.openQuote() != 0) {
                throw usage("a quote is not closed; write \\" + words.openQuote() + " for one that is none");
            }
            status = dispatch(words.words());
        } catch (RuntimeException | IOException | Error e) {
            status = failures.told(e);
        }
        if (isTimed && isTiming) {
            double millis = (console.nanos() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
            console.tell(String.format(Locale.ROOT, "%.1f ms", millis));
        }
        return status;
    }

    private int dispatch(List<String> given) throws IOException {
        List<String> words = OTHER_NAMES.containsKey(given.getFirst())
                ? Stream.concat(
                                OTHER_NAMES.get(given.getFirst()).stream(),
                                given.stream().skip(1))
                        .toList()
                : given;
        String first = words.getFirst();
        List<String> rest = words.subList(1, words.size());
        switch (first) {
            case "use" -> use(atMostOne(first, rest));
            case "watch" -> {
                return watch(rest);
            }
            case ".help" -> help(atMostOne(first, rest));
            case ".mode" -> mode(one(first, rest));
            case ".timing" -> isTiming = isOn(one(first, rest));
            case ".read" -> {
                return read(one(first, rest));
            }
            case ".quit" -> isEnded = true;
            default -> {
                return first.startsWith(".") ? unknown(first) : runner.run(words.toArray(String[]::new));
            }
        }
        return ExitStatus.OK;
    }

    private static int unknown(String word) {
        throw usage("there is no " + word + "; .help lists what there is");
    }

    private static CommandFailure usage(String message) {
        return new CommandFailure(ExitStatus.USAGE, message);
    }

    private static @Nullable String atMostOne(String command, List<String> rest) {
        if (rest.size() > 1) {
            throw usage(command + " takes one word, and \"" + rest.get(1) + "\" is another; put blanks into quotes");
        }
        return rest.isEmpty() ? null : rest.getFirst();
    }

    private static String one(String command, List<String> rest) {
        String word = atMostOne(command, rest);
        if (word == null) {
            throw usage(command + " needs a word; .help says which");
        }
        return word;
    }

    /** Changes the place; null is none. */
    void use(@Nullable String name) {
        if (name == null) {
            session.setPlace(Place.NONE);
            return;
        }
        KVClient client = session.client(new TargetOptions());
        Place before = session.place();
        int slash = name.indexOf('/');
        if (slash < 0
                && before.database() != null
                && tables(client, before.database()).contains(name)) {
            session.setPlace(new Place(before.database(), name));
            return;
        }
        String database = Names.checked("database", slash < 0 ? name : name.substring(0, slash));
        String table = slash < 0 ? null : Names.checked("table", name.substring(slash + 1));
        List<String> tables = client.tables(database);
        if (table != null && !tables.contains(table)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "the database " + database + " has no table " + table + "; 'table create " + name + "' makes one");
        }
        session.setPlace(new Place(database, table));
    }

    /** The tables of the present database; none if somebody has dropped it. */
    private static List<String> tables(KVClient client, String database) {
        try {
            return client.tables(database);
        } catch (NotFoundException _) {
            return List.of();
        }
    }

    private void help(@Nullable String command) {
        if (command != null) {
            runner.run(command, "--help");
            return;
        }
        StringBuilder text = new StringBuilder();
        runner.all()
                .getSubcommands()
                .forEach((name, line) -> text.append(name)
                        .repeat(' ', Math.max(1, 26 - name.length()))
                        .append(firstSentence(
                                line.getCommandSpec().usageMessage().description()))
                        .append('\n'));
        console.print(text + ShellWords.HELP);
    }

    private static String firstSentence(String... description) {
        String text = String.join(" ", description);
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    private void mode(String name) {
        if (name.equalsIgnoreCase("default")) {
            session.setForm(null);
            return;
        }
        for (OutputForm form : OutputForm.values()) {
            if (form.name().equalsIgnoreCase(name)) {
                session.setForm(form);
                return;
            }
        }
        throw usage("there is no mode \"" + name + "\"; give table, json, raw, hex or default");
    }

    private static boolean isOn(String word) {
        return switch (word) {
            case "on" -> true;
            case "off" -> false;
            default -> throw usage(".timing is on or off, not \"" + word + "\"");
        };
    }

    private int read(String name) throws IOException {
        Path file;
        try {
            file = Path.of(name);
        } catch (InvalidPathException e) {
            throw usage("\"" + name + "\" is no path");
        }
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new CommandFailure(ExitStatus.NOT_FOUND, file + " is no file that can be read; give one of commands");
        }
        if (readDepth == DEEPEST_READ) {
            throw usage("files read files " + DEEPEST_READ + " deep; this one may read itself");
        }
        readDepth++;
        try (InputStream in = Files.newInputStream(file);
                Lines lines = new ScriptLines(in, name)) {
            return run(lines, false);
        } finally {
            readDepth--;
        }
    }

    /** Returns the status of the last run; that somebody has ended it is none. */
    private int watch(List<String> given) {
        Watch watch = Watch.of(given);
        int status = ExitStatus.OK;
        for (long i = 0; watch.times() == 0 || i < watch.times(); i++) {
            if (i > 0 && console.interruption().await(watch.pauseNanos())) {
                return ExitStatus.OK;
            }
            status = runner.run(watch.command().toArray(String[]::new));
            if (status == ExitStatus.USAGE || console.isReaderGone()) { // nobody would see another run
                return status;
            }
        }
        return status;
    }
}
