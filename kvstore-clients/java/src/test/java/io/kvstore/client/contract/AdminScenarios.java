package io.kvstore.client.contract;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.ClientTable;
import io.kvstore.client.OperationResult;
import io.kvstore.client.ServerDescription;
import io.kvstore.client.Statistics;
import io.kvstore.client.TableDescription;
import io.kvstore.client.error.AlreadyExistsException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.NotFoundException;
import io.kvstore.client.error.Outcome;
import io.kvstore.client.error.TooLargeException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Databases, tables, figures and jobs. */
public interface AdminScenarios extends Stage {

    /** What the server says of itself. */
    @Test
    default void a_server_describes_itself() {
        client().ping();
        ServerDescription server = client().serverInfo();
        assertFalse(server.version().isEmpty());
        assertTrue(server.engines().containsAll(List.of("bplus", "hash", "lsm")), server::toString);
        assertTrue(List.of("sync", "buffered").contains(server.durability()), server.durability());
        assertEquals(65_535, server.maxKeyBytes());
        assertTrue(server.maxValueBytes() >= 8 << 20, server::toString);
        assertTrue(server.maxFrameBytes() > server.maxValueBytes(), server::toString);
        assertTrue(server.maxItems() >= 10_000, server::toString);
    }

    /** Databases come and go. */
    @Test
    default void a_database_is_created_once() {
        String other = database() + "_other";
        assertTrue(client().createDatabase(other));
        assertFalse(client().createDatabase(other));
        assertTrue(client().databases().contains(other));
        List<String> databases = client().databases();
        assertEquals(databases.stream().sorted().toList(), databases);
        client().createTable(other, "t", "lsm");
        fails(KVClientException.class, ErrorCode.DATABASE_NOT_EMPTY, () -> client().dropDatabase(other));
        client().dropTable(other, "t");
        client().dropDatabase(other);
        assertFalse(client().databases().contains(other));
        fails(NotFoundException.class, ErrorCode.DATABASE_NOT_FOUND, () -> client().dropDatabase(other));
    }

    /** A table can be created again as it is. */
    @OnBothEngines
    default void a_table_is_created_with_one_definition(String engine) {
        String name = newTable(engine).name();
        TableDescription table = client().table(database(), name).describe();
        assertEquals(database(), table.database());
        assertEquals(name, table.table());
        assertEquals(engine, table.engine());
        assertTrue(table.ordered(), table::toString);
        assertTrue(table.id() > 0);
        assertTrue(table.options().containsKey("VALUE_THRESHOLD_BYTES"), table::toString);
        assertEquals(table, client().createTable(database(), name, engine));
        assertEquals(table, client().createTable(database(), name, engine, table.options()));
        String other = engine.equals("lsm") ? "bplus" : "lsm";
        AlreadyExistsException failure = fails(
                AlreadyExistsException.class,
                ErrorCode.DEFINITION_DIFFERS,
                () -> client().createTable(database(), name, other));
        assertEquals(Outcome.REJECTED, failure.outcome());
        fails(
                AlreadyExistsException.class,
                ErrorCode.DEFINITION_DIFFERS,
                () -> client().createTable(database(), name, engine, Map.of("VALUE_THRESHOLD_BYTES", "77")));
        assertTrue(client().tables(database()).contains(name));
    }

    /** Options are those of the engine. */
    @OnBothEngines
    default void a_table_has_options(String engine) {
        String name = engine + "-options";
        Map<String, String> options = Map.of("VALUE_THRESHOLD_BYTES", "512", "DURABILITY", "BUFFERED");
        TableDescription table = client().createTable(database(), name, engine, options);
        assertEquals("512", table.options().get("VALUE_THRESHOLD_BYTES"));
        assertEquals("BUFFERED", table.options().get("DURABILITY"));
        assertEquals(table, client().createTable(database(), name, engine, options));
        fails(
                InvalidRequestException.class,
                ErrorCode.INVALID_REQUEST,
                () -> client().createTable(database(), engine + "-bad", engine, Map.of("NO_SUCH_OPTION", "1")));
    }

    /** A table has one name at a time. */
    @OnBothEngines
    default void a_table_gets_another_name(String engine) {
        ClientTable old = newTable(engine);
        fill(old, 100);
        String name = old.name() + "-renamed";
        TableDescription before = old.describe();
        TableDescription after = client().renameTable(database(), old.name(), name);
        assertEquals(name, after.table());
        assertEquals(before.id(), after.id());
        assertEquals(before.options(), after.options());
        ClientTable renamed = client().table(database(), name);
        assertEquals(after, renamed.describe());
        assertEquals(100, renamed.count());
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, old::count);
        fails(
                NotFoundException.class,
                ErrorCode.TABLE_NOT_FOUND,
                () -> client().renameTable(database(), old.name(), name));
        assertEquals(after, client().renameTable(database(), name, name));
        String other = newTable(engine).name();
        fails(
                AlreadyExistsException.class,
                ErrorCode.ALREADY_EXISTS,
                () -> client().renameTable(database(), other, name));
        fails(
                InvalidRequestException.class,
                ErrorCode.INVALID_REQUEST,
                () -> client().renameTable(database(), name, "no/name"));
        fails(
                NotFoundException.class,
                ErrorCode.DATABASE_NOT_FOUND,
                () -> client().renameTable("missing-database", name, "n"));
    }

    /** Some options change while a table is in use, and others stay. */
    @OnBothEngines
    default void options_of_a_table_change(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 10);
        String own = engine.equals("lsm") ? "MEM_CACHE_SIZE" : "BTREE_PAGE_BUFFER_SIZE_BYTES";
        TableDescription altered =
                table.alter(Map.of("MAX_VALUE_BYTES", "5", "DURABILITY", "buffered", own, "1000000"));
        assertEquals("5", altered.options().get("MAX_VALUE_BYTES"));
        assertEquals("BUFFERED", altered.options().get("DURABILITY"));
        assertEquals("1000000", altered.options().get(own));
        assertEquals(altered, table.describe());
        table.put("k", bytes("12345"));
        fails(TooLargeException.class, ErrorCode.TOO_LARGE, () -> table.put("k", bytes("123456")));
        assertEquals(11, table.count());
        assertEquals(altered, table.alter(Map.of()));
        InvalidRequestException refusal = fails(
                InvalidRequestException.class,
                ErrorCode.INVALID_REQUEST,
                () -> table.alter(Map.of("ENABLE_WAL", "false", "MAX_VALUE_BYTES", "6")));
        assertTrue(String.valueOf(refusal.getMessage()).contains("ENABLE_WAL"), refusal::toString);
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.alter(Map.of("NONE", "1")));
        assertEquals(altered, table.describe());
        ClientTable none = client().table(database(), "missing");
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, () -> none.alter(Map.of()));
    }

    /** Names that are not there, and names that cannot be. */
    @Test
    default void names_are_checked() {
        ClientTable noTable = client().table(database(), "missing");
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, () -> noTable.get("a"));
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, () -> noTable.put("a", bytes("1")));
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, noTable::describe);
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, noTable::count);
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, () -> client().dropTable(database(), "missing"));
        ClientTable noDatabase = client().table("missing-database", "t");
        fails(NotFoundException.class, ErrorCode.DATABASE_NOT_FOUND, () -> noDatabase.get("a"));
        fails(NotFoundException.class, ErrorCode.DATABASE_NOT_FOUND, () -> client().tables("missing-database"));
        fails(
                NotFoundException.class,
                ErrorCode.DATABASE_NOT_FOUND,
                () -> client().createTable("missing-database", "t", "lsm"));
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> client().createDatabase("no spaces"));
        fails(
                InvalidRequestException.class,
                ErrorCode.INVALID_REQUEST,
                () -> client().createTable(database(), "-t", "lsm"));
        fails(
                InvalidRequestException.class,
                ErrorCode.INVALID_REQUEST,
                () -> client().createTable(database(), "t", "no-engine"));
    }

    /** Figures of a table and of the store. */
    @OnBothEngines
    default void there_are_figures(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 100);
        Statistics ofTable = table.stats();
        assertEquals(table.name(), ofTable.texts().get("table"));
        assertTrue(ofTable.numbers().containsKey("engine.entries"), ofTable::toString);
        assertTrue(ofTable.numbers().containsKey("engine.diskBytes"), ofTable::toString);
        Statistics ofStore = client().stats();
        assertTrue(ofStore.numbers().getOrDefault("memoryBudgetBytes", 0.0) > 0, ofStore::toString);
        assertTrue(ofStore.texts().containsValue(table.name()), ofStore::toString);
    }

    /** Jobs on a table, one after the other. */
    @OnBothEngines
    default void jobs_run_to_their_end(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 2_000);
        assertDone(OperationResult.Kind.FLUSH, table, table.flush());
        assertDone(OperationResult.Kind.OPTIMIZE, table, table.optimize());
        OperationResult verified = table.verify();
        assertDone(OperationResult.Kind.VERIFY, table, verified);
        assertEquals(0, verified.findingsTotal());
        assertEquals(List.of(), verified.findings());
        assertEquals(2_000, table.count());
        fails(
                InvalidRequestException.class,
                ErrorCode.INVALID_REQUEST,
                () -> table.start(OperationResult.Kind.CHECKPOINT));
    }

    /** A job that ended well. */
    private static void assertDone(OperationResult.Kind kind, ClientTable table, OperationResult operation) {
        assertEquals(OperationResult.State.DONE, operation.state());
        assertEquals(kind, operation.kind());
        assertEquals(table.database(), operation.database());
        assertEquals(table.name(), operation.table());
        assertNull(operation.error());
        assertTrue(operation.seconds() >= 0);
    }

    /** Jobs can be started and asked for later. */
    @Test
    default void jobs_are_remembered() {
        OperationResult checkpoint = client().checkpoint();
        assertEquals(OperationResult.State.DONE, checkpoint.state());
        assertEquals(OperationResult.Kind.CHECKPOINT, checkpoint.kind());
        assertNull(checkpoint.table());
        OperationResult started = newTable("lsm").start(OperationResult.Kind.OPTIMIZE);
        assertNotEquals(checkpoint.id(), started.id());
        assertEquals(started.id(), client().cancelOperation(started.id()).id());
        OperationResult ended = client().awaitOperation(started.id());
        assertNotEquals(OperationResult.State.RUNNING, ended.state());
        assertEquals(ended, client().operation(started.id()));
        List<Long> ids = client().operations().stream().map(OperationResult::id).toList();
        assertTrue(ids.containsAll(List.of(checkpoint.id(), started.id())), ids::toString);
        fails(NotFoundException.class, ErrorCode.NOT_FOUND, () -> client().operation(Long.MAX_VALUE));
    }
}
