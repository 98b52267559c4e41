package io.kvstore.cli.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.dump.Contents;
import io.kvstore.cli.dump.DumpSource;
import io.kvstore.cli.dump.DumpTarget;
import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.client.KVClient;
import io.kvstore.client.embedded.EmbeddedClient;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dumps and loads of a store that others change meanwhile. */
final class RunsTest {

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final Console console = new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            errors,
            new Terminals(false, false, false),
            System::nanoTime);
    private final ProgressLine progress = new ProgressLine(console, true);

    @SuppressWarnings("NullAway.Init") // opened before each test
    private KVStore store;

    @SuppressWarnings("NullAway.Init") // made before each test
    private KVClient client;

    @BeforeEach
    void open() {
        store = KVStore.inMemory();
        client = EmbeddedClient.over(store);
        client.createDatabase("d");
    }

    @AfterEach
    void close() {
        client.close();
        store.close();
    }

    private void table(String name) {
        client.createTable("d", name, "bplus");
        client.table("d", name).put("of", name.getBytes(UTF_8));
    }

    /** A call of a client, which a test may answer by itself. */
    @FunctionalInterface
    private interface Answer {
        @Nullable
        Object of(Supplier<@Nullable Object> usual, @Nullable Object @Nullable [] arguments);
    }

    /** The client, but one method has another answer. */
    private KVClient with(String method, Answer answer) {
        return (KVClient) Proxy.newProxyInstance(
                RunsTest.class.getClassLoader(), new Class<?>[] {KVClient.class}, (_, called, arguments) -> {
                    Supplier<@Nullable Object> usual = () -> {
                        try {
                            return called.invoke(client, arguments);
                        } catch (InvocationTargetException e) {
                            throw (RuntimeException) e.getCause();
                        } catch (ReflectiveOperationException e) {
                            throw new IllegalStateException(e);
                        }
                    };
                    return called.getName().equals(method) ? answer.of(usual, arguments) : usual.get();
                });
    }

    /** Takes entries. */
    private static final class Taken implements DumpTarget {

        private final List<String> values = new ArrayList<>();

        @Override
        public void beginTable(int number) {}

        @Override
        public void entry(byte[] key, byte[] value) {
            values.add(new String(value, UTF_8));
        }

        @Override
        public void end() {
            values.add("end");
        }
    }

    @Test
    void a_dump_has_the_tables_that_there_were() throws Exception {
        table("a");
        table("b");
        Taken taken = new Taken();
        try (DumpRun run = DumpRun.begin(client, Selection.of(List.of()), progress)) {
            run.write(taken);
        }
        assertEquals(List.of("a", "b", "end"), taken.values);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exchange", "rename", "drop", "truncate"})
    void a_name_that_is_of_another_table_ends_a_dump(String change) throws Exception {
        table("a");
        table("b");
        try (DumpRun run = DumpRun.begin(client, Selection.of(List.of("d")), progress)) {
            switch (change) {
                case "exchange" -> {
                    client.renameTable("d", "a", "c");
                    client.renameTable("d", "b", "a");
                    client.renameTable("d", "c", "b");
                }
                case "rename" -> client.renameTable("d", "a", "c");
                case "drop" -> client.dropTable("d", "a");
                default -> client.table("d", "a").truncate();
            }
            Taken taken = new Taken();
            CommandFailure failure = assertThrows(CommandFailure.class, () -> run.write(taken));
            assertEquals(
                    "d/a was renamed, dropped or truncated during the dump; try again",
                    failure.getMessage(),
                    taken.values::toString);
            assertEquals(ExitStatus.UNAVAILABLE, failure.status());
            assertFalse(taken.values.contains("end"));
        }
    }

    @Test
    void a_table_that_goes_before_it_is_described_is_left_out() {
        table("a");
        KVClient late = with("tables", (_, _) -> List.of("a", "gone"));
        Selection.Found found = Selection.of(List.of("d")).find(late);
        assertEquals(1, found.tables().size());
        KVClient less = with("databases", (_, _) -> List.of("d", "gone"));
        assertEquals(
                List.of("d"), List.copyOf(Selection.of(List.of()).find(less).databases()));
        assertThrows(
                KVClientException.class, () -> Selection.of(List.of("d/gone")).find(client));
        assertThrows(
                KVClientException.class, () -> Selection.of(List.of("gone")).find(client));
    }

    @Test
    void names_of_a_server_lead_nowhere() {
        for (String name : List.of("../x", "/x", "..", "")) {
            KVClient bad = with("tables", (_, _) -> List.of(name));
            assertThrows(CommandFailure.class, () -> Selection.of(List.of("d")).find(bad));
            KVClient worse = with("databases", (_, _) -> List.of(name));
            assertThrows(CommandFailure.class, () -> Selection.of(List.of()).find(worse));
        }
    }

    /** A reader of dumps takes no more, so a longer dump would be lost. */
    @ParameterizedTest
    @ValueSource(ints = {100_000, 100_001})
    void a_dump_has_at_most_100_000_databases(int count) {
        List<String> names = IntStream.range(0, count).mapToObj(i -> "d" + i).toList();
        KVClient many = (KVClient) Proxy.newProxyInstance(
                RunsTest.class.getClassLoader(),
                new Class<?>[] {KVClient.class},
                (_, called, arguments) -> switch (called.getName()) {
                    case "databases" -> names;
                    case "tables" -> List.of();
                    default -> called.invoke(client, arguments);
                });
        if (count == 100_000) {
            try (DumpRun run = DumpRun.begin(many, Selection.of(List.of()), progress)) {
                assertEquals(count, run.contents().databases().size());
            }
            return;
        }
        CommandFailure refused =
                assertThrows(CommandFailure.class, () -> DumpRun.begin(many, Selection.of(List.of()), progress));
        assertEquals(
                "there are 100001 databases, and a dump has at most 100000; make several dumps, and name databases for"
                        + " each",
                refused.getMessage());
    }

    /** A dump with tables that have no entry, or whose first one cannot be read. */
    private record Source(Contents contents, Runnable atFirst) implements DumpSource {

        static Source of(String... tables) {
            return new Source(
                    new Contents(
                            List.of("d", "e"),
                            Arrays.stream(tables)
                                    .map(name -> new TableDefinition("d", name, "bplus", true, new TreeMap<>()))
                                    .toList()),
                    () -> {});
        }

        Source with(Runnable newAtFirst) {
            return new Source(contents, newAtFirst);
        }

        @Override
        public void setMostValueBytes(long bytes) {}

        @Override
        public boolean next() {
            atFirst.run();
            return false;
        }

        @Override
        public int table() {
            return 0;
        }

        @Override
        public byte[] key() {
            return new byte[0];
        }

        @Override
        public byte[] value() {
            return new byte[0];
        }

        @Override
        public void close() {}
    }

    private void load(KVClient target, Source source) {
        new LoadRun(target, null, source, progress, console)
                .load(source.contents().databases(), source.contents().tables(), () -> 0);
    }

    private CommandFailure refused(KVClient target, Source source) {
        return assertThrows(CommandFailure.class, () -> load(target, source));
    }

    /** A message without the number that every load has in the names of its tables. */
    private static String unnumbered(@Nullable String message) {
        return String.valueOf(message).replaceAll("loading-[0-9a-f]+-", "loading-");
    }

    private List<String> tables() {
        return client.tables("d").stream().map(RunsTest::unnumbered).toList();
    }

    @Test
    void a_table_of_another_load_is_not_taken_and_not_dropped() {
        KVClient other = with("createDatabase", (usual, _) -> {
            if (!client.tables("d").contains("b")) {
                table("b");
            }
            return usual.get();
        });
        CommandFailure failure = refused(other, Source.of("a", "b"));
        assertEquals(ExitStatus.CONDITION_FAILED, failure.status());
        assertTrue(String.valueOf(failure.getMessage()).startsWith("d/b is there already"), failure::getMessage);
        assertTrue(String.valueOf(failure.getMessage()).endsWith(LoadTraces.NOTHING), failure::getMessage);
        assertEquals(List.of("b"), client.tables("d"));
        assertEquals(1, client.table("d", "b").count());
        assertEquals(List.of("d"), client.databases());
    }

    /** It comes when the first table of this load has its name already. */
    @Test
    void a_table_that_comes_at_last_is_not_dropped_either() {
        KVClient other = with("renameTable", (usual, arguments) -> {
            if (arguments != null && "b".equals(arguments[2])) {
                table("b");
            }
            return usual.get();
        });
        List<List<String>> seen = new ArrayList<>();
        CommandFailure failure = refused(other, Source.of("a", "b").with(() -> seen.add(tables())));
        assertEquals(List.of(List.of("loading-0", "loading-1")), seen);
        assertEquals(ExitStatus.CONDITION_FAILED, failure.status());
        assertTrue(String.valueOf(failure.getMessage()).startsWith("d/b is there already"), failure::getMessage);
        assertTrue(String.valueOf(failure.getMessage()).endsWith(LoadTraces.NOTHING), failure::getMessage);
        assertEquals(List.of("b"), client.tables("d"));
        assertEquals(1, client.table("d", "b").count());
    }

    private static KVClientException lost() {
        return KVClientException.of(ErrorReport.of(ErrorCode.TIMED_OUT, Outcome.UNKNOWN, "no answer came"));
    }

    @Test
    void a_lost_answer_names_what_may_be_there() {
        List<@Nullable Object> made = new ArrayList<>();
        KVClient silent = with("createTable", (usual, _) -> {
            made.add(usual.get());
            throw lost();
        });
        KVClientException failure = assertThrows(KVClientException.class, () -> load(silent, Source.of("a")));
        assertEquals(
                "no answer came (of d/a) (the table d/loading-0 may be there; drop with 'kvstore table drop')",
                unnumbered(failure.getMessage()));
        assertEquals(1, made.size());
        assertEquals(List.of("loading-0"), tables());
        client.dropTable("d", client.tables("d").getFirst());
        KVClient unnaming = with("renameTable", (usual, _) -> {
            made.add(usual.get());
            throw lost();
        });
        failure = assertThrows(KVClientException.class, () -> load(unnaming, Source.of("a", "b")));
        assertEquals(
                "no answer came (the table d/a may be there; drop with 'kvstore table drop')", failure.getMessage());
        assertEquals(List.of("a"), client.tables("d"));
        client.dropTable("d", "a");
        KVClient mute = with("createDatabase", (usual, arguments) -> {
            Object answer = usual.get();
            if (arguments != null && "e".equals(arguments[0])) {
                throw lost();
            }
            return answer;
        });
        failure = assertThrows(KVClientException.class, () -> load(mute, Source.of("a")));
        assertEquals("no answer came (the database e may be there; drop with 'kvstore db drop')", failure.getMessage());
    }

    @Test
    void an_interrupted_load_makes_no_more_tables() {
        List<String> made = new ArrayList<>();
        KVClient asking = with("createTable", (usual, arguments) -> {
            made.add(String.valueOf(arguments == null ? null : arguments[1]));
            console.interruption().ask();
            return usual.get();
        });
        CommandFailure failure = refused(asking, Source.of("a", "b", "c"));
        assertEquals(ExitStatus.INTERRUPTED, failure.status());
        assertEquals(
                List.of("loading-0"), made.stream().map(RunsTest::unnumbered).toList());
        assertEquals(List.of(), client.tables("d"));
    }

    @Test
    void what_is_left_is_known_until_the_load_has_ended() {
        List<@Nullable String> left = new ArrayList<>();
        Source looking = Source.of("a", "b").with(() -> {
            assertTrue(console.interruption().isUndoing());
            left.add(console.interruption().left());
            throw new CommandFailure(ExitStatus.ERROR, "no more");
        });
        KVClient dropping = with("dropTable", (usual, _) -> {
            Object nothing = usual.get();
            left.add(console.interruption().left());
            return nothing;
        });
        refused(dropping, looking);
        String all =
                "the load did not end in time, and leaves d/loading-0, d/loading-1; drop with 'kvstore table drop'";
        assertEquals(
                List.of(all, all, all.replace("d/loading-0, ", "")),
                left.stream().map(RunsTest::unnumbered).toList());
        assertNull(console.interruption().left());
        assertFalse(console.interruption().isUndoing());
    }

    @Test
    void a_table_that_cannot_be_dropped_is_named() {
        Source bad = Source.of("a", "b").with(() -> {
            throw new CommandFailure(ExitStatus.ERROR, "no more");
        });
        KVClient keeping = with("dropTable", (usual, arguments) -> {
            if (arguments != null && unnumbered((String) arguments[1]).equals("loading-0")) {
                throw lost();
            }
            return usual.get();
        });
        assertEquals(
                "no more (d/loading-0 could not be dropped again; drop with 'kvstore table drop')",
                unnumbered(refused(keeping, bad).getMessage()));
        assertEquals(List.of("loading-0"), tables());
        assertEquals(List.of("d"), client.databases());
    }

    @Test
    void a_full_heap_leaves_nothing() {
        Source large = Source.of("a").with(() -> {
            throw new OutOfMemoryError("of a test");
        });
        assertThrows(OutOfMemoryError.class, () -> load(client, large));
        assertEquals(List.of(), client.tables("d"));
        assertEquals(List.of("d"), client.databases());
        assertEquals("", errors.toString(UTF_8));
    }

    @Test
    void a_temporary_table_does_not_go_into_a_directory() {
        TableDefinition table =
                new TableDefinition("d", "a", "bplus", true, new TreeMap<>(Map.of("TEMPORARY", "true")));
        Source source = Source.of();
        Consumer<TableDefinition> load = definition ->
                new LoadRun(client, store, source, progress, console).load(List.of("d"), List.of(definition), () -> 0);
        CommandFailure failure = assertThrows(CommandFailure.class, () -> load.accept(table));
        assertEquals(ExitStatus.USAGE, failure.status());
        assertTrue(String.valueOf(failure.getMessage()).endsWith("give --option TEMPORARY=false"), failure::getMessage);
        assertEquals(List.of(), client.tables("d"));
        load.accept(table.with(Map.of("TEMPORARY", "false")));
        assertEquals(List.of("a"), client.tables("d"));
    }
}
