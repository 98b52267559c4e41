package io.kvstore.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.cli.admin.TableCommand;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.data.GetCommand;
import io.kvstore.cli.session.Place;
import io.kvstore.cli.session.Session;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jline.reader.Candidate;
import org.jline.reader.Parser.ParseContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What Tab offers. */
final class CompletionsTest {

    @TempDir
    private Path temp;

    @SuppressWarnings("NullAway.Init") // made before each test
    private Session session;

    @BeforeEach
    void fill() {
        try (KVStore store = new KVStore(temp.toFile())) {
            store.createDB("demo");
            store.createDB("other");
            store.createTable("demo", "names", "BPLUS", new java.util.Properties());
            for (int i = 0; i < 70; i++) {
                store.table("demo", "names").put("user:" + (100 + i), new byte[0]);
            }
            store.table("demo", "names").put("BLACK KING", new byte[0]);
            store.table("demo", "names").put(new byte[] {'b', (byte) 0xFF, '"'}, new byte[0]);
        }
        Terminals none = new Terminals(false, false, false);
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                none,
                System::nanoTime);
        session = new Session(console, Map.of("KVSTORE_URL", temp.toString()));
        session.beginShell(_ -> null);
    }

    @AfterEach
    void close() {
        session.close();
    }

    /** What is offered at the end of a line. The first call loads classes, so a slow one is made again. */
    private List<String> offers(String line) {
        Runner runner = new Runner() {
            @Override
            public int run(String... arguments) {
                return 0;
            }

            @Override
            public CommandLine all() {
                return new CommandLine(CommandLine.Model.CommandSpec.create())
                        .addSubcommand("get", new GetCommand(session))
                        .addSubcommand("table", TableCommand.of(session));
            }
        };
        var parsed = (LineParser.Typed) new LineParser().parse(line, line.length(), ParseContext.COMPLETE);
        Completions completions = new Completions(session, runner);
        for (int tries = 0; tries < 20; tries++) {
            List<String> offered = completions.offers(parsed.words(), parsed.word()).stream()
                    .map(Candidate::value)
                    .toList();
            if (!offered.isEmpty()) {
                return offered;
            }
        }
        return List.of();
    }

    @Test
    void commands_and_options_are_offered() {
        assertTrue(offers("").containsAll(List.of("get", "table", "use", ".mode")));
        assertTrue(offers("watch ").contains("get"));
        assertTrue(offers("get -").containsAll(List.of("--table", "--output", "--help")));
        assertEquals(
                List.of("list", "create", "info", "rename", "alter", "truncate", "compact", "drop"), offers("table "));
        assertTrue(offers("table drop --y").contains("--yes"));
    }

    @Test
    void databases_and_tables_are_offered() {
        assertEquals(List.of("demo/", "other/"), offers("use "));
        assertEquals(List.of("demo/names"), offers("get k -t demo/"));
        assertEquals(List.of("demo/", "other/"), offers("table info d"));
        session.setPlace(new Place("demo", null));
        assertEquals(List.of("names", "demo/", "other/"), offers("use "));
        assertEquals(List.of(), offers("use nodb/"));
    }

    @Test
    void keys_are_offered_as_they_are_typed_and_at_most_fifty() {
        assertEquals(List.of(), offers("get user"));
        session.setPlace(new Place("demo", "names"));
        assertEquals(List.of("user:110", "user:111"), offers("get user:11").subList(0, 2));
        assertEquals(50, offers("get user:").size());
        assertEquals(List.of("BLACK\\ KING"), offers("get BLA"));
        assertEquals(List.of("BLACK\\ KING"), offers("get BLACK\\ "));
        assertEquals(List.of("\"BLACK KING\""), offers("get \"BLACK K"));
        assertEquals(List.of("b\\xff\\\""), offers("get b"));
        assertEquals(List.of(), offers("get user:110 "));
        assertEquals(List.of(), offers("get b\\"));
    }
}
